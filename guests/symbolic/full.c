/* Pieces of a pool are given out until it is full. Where the last request does not fit, it is counted, and that is not flushed. */
#include "pool.h"

#define LINE 8
#define UNITS 200

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned char sizes[2];
  if (read(0, sizes, sizeof sizes) != sizeof sizes) return 1;
  unsigned used = 0;
  store(pool + LINE, used);
  persist(pool + LINE);
  for (int i = 0; i < 2; i++) {
    if (used + sizes[i] <= UNITS) {
      used += sizes[i];
      store(pool, used);
      persist(pool);
    } else {
      store(pool + LINE, used);
#ifdef RIGHT
      persist(pool + LINE);
#endif
    }
  }
  return 0;
}
