/* The program says itself what is unknown: keys of a table with two places for each hash. The third of a hash forgets its flush. */
#include "../../include/blackout.h"
#include "pool.h"

#define PLACES 2
#define BUCKETS 4

static unsigned hash(uint8_t key) { return (key * 167u >> 3) % BUCKETS; }

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned used[BUCKETS] = {0};
  for (int i = 0; i < 3; i++) {
    uint8_t key = 1;
    blackout_symbolic(&key, sizeof key, "key");
    unsigned bucket = hash(key);
    uint64_t *place = pool + 8 * (bucket * PLACES + used[bucket] % PLACES);
    store(place, key + 1);
#ifndef RIGHT
    if (used[bucket] < PLACES)
#endif
      persist(place);
    used[bucket]++;
  }
  return 0;
}
