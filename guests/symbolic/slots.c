/* An allocator with four places: when none is left, the count that was raised before is taken back and not flushed. */
#include "pool.h"

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned char wanted[3];
  if (read(0, wanted, sizeof wanted) != sizeof wanted) return 3;
  uint64_t used = 0;
  store(pool, used);
  persist(pool);
  for (size_t i = 0; i < sizeof wanted; i++) {
    unsigned places = wanted[i] & 3;
    store(pool, used + places);
    if (used + places <= 4) {
      used += places;
      persist(pool);
      continue;
    }
    persist(pool);
    store(pool, used);
#ifdef RIGHT
    persist(pool);
#endif
    return 1;
  }
  return 0;
}
