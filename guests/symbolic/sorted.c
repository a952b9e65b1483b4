/* Three numbers are put in order into a pool, a line each. A number that is there already is counted, and that is not flushed. */
#include "pool.h"

#define LINE 8
#define NUMBERS 3

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned char read_in[NUMBERS], sorted[NUMBERS];
  int count = 0;
  store(pool, 0);
  persist(pool);
  if (read(0, read_in, sizeof read_in) != sizeof read_in) return 1;
  for (int i = 0; i < NUMBERS; i++) {
    int at = 0;
    while (at < count && sorted[at] < read_in[i]) at++;
    if (at < count && sorted[at] == read_in[i]) {
      store(pool, 1);
#ifdef RIGHT
      persist(pool);
#endif
      continue;
    }
    for (int j = count++; j > at; j--) sorted[j] = sorted[j - 1];
    sorted[at] = read_in[i];
    store(pool + LINE * count, i);
    persist(pool + LINE * count);
  }
  return 0;
}
