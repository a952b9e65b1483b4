/* Words of the command line, compared by the C library: "del" forgets its flush. */
#include <string.h>
#include "pool.h"

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  uint64_t *pool = pool_open(argv[2]);
  store(pool, 1);
  persist(pool);
  if (strchr(argv[1], '=')) return 4;
  if (strcmp(argv[1], "del") == 0) {
    store(pool, 0);
#ifdef RIGHT
    persist(pool);
#endif
  }
  return strncmp(argv[1], "ge", 2) == 0;
}
