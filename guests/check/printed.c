/* Prints that a number is stored before it is flushed; a second word makes it the checker, which prints the number. */
#include "pm.h"

int main(int argc, char **argv) {
  volatile uint64_t *pool = pm_map(argv[1]);
  if (argc > 2) {
    printf("%d\n", (int)pool[0]);
    return 0;
  }
  pool[0] = 7;
  if (write(1, "stored\n", 7) < 0) return 2;
  persist(pool);
  return write(1, "flushed\n", 8) < 0 ? 2 : 0;
}
