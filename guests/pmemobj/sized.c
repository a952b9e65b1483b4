/*
 * A hash map on libpmemobj in a pool of any size, to see what a pool's size costs: `sized FILE make MIB` creates the pool,
 * `sized FILE put OPERATIONS` works on it, `sized FILE check` recovers and says whether every bucket is whole.
 */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 64

struct entry { uint64_t key, value, sum; PMEMoid next; };
struct map { uint64_t count; PMEMoid buckets[BUCKETS]; };

static uint64_t sum_of(uint64_t key, uint64_t value) { return (key * 0x9e3779b97f4a7c15ul) ^ value; }

static void put(PMEMobjpool *pool, struct map *map, uint64_t key) {
  PMEMoid *bucket = &map->buckets[key % BUCKETS];
  TX_BEGIN(pool) {
    PMEMoid fresh = pmemobj_tx_zalloc(sizeof(struct entry), 1);
    struct entry *entry = pmemobj_direct(fresh);
    *entry = (struct entry){key, key * 3, sum_of(key, key * 3), *bucket};
    pmemobj_tx_add_range_direct(bucket, sizeof *bucket);
    pmemobj_tx_add_range_direct(&map->count, sizeof map->count);
    *bucket = fresh;
    map->count++;
  }
  TX_END
}

static int check(const struct map *map) {
  uint64_t found = 0;
  for (int i = 0; i < BUCKETS; i++)
    for (PMEMoid at = map->buckets[i]; !OID_IS_NULL(at); found++) {
      const struct entry *entry = pmemobj_direct(at);
      if (entry->sum != sum_of(entry->key, entry->value)) return fprintf(stderr, "entry %lu is torn\n", found), 1;
      at = entry->next;
    }
  if (found != map->count) return fprintf(stderr, "%lu entries, but %lu are counted\n", found, map->count), 1;
  return printf("%lu entries\n", found), 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const uint64_t number = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
  const int makes = strcmp(argv[2], "make") == 0;
  PMEMobjpool *pool = makes ? pmemobj_create(argv[1], "sized", number << 20, 0644) : pmemobj_open(argv[1], "sized");
  if (pool == NULL) return fprintf(stderr, "%s\n", pmemobj_errormsg()), 1;
  struct map *map = pmemobj_direct(pmemobj_root(pool, sizeof(struct map)));
  int result = 0;
  if (strcmp(argv[2], "put") == 0)
    for (uint64_t key = 1; key <= number; key++) put(pool, map, key);
  else if (!makes) result = check(map);
  pmemobj_close(pool);
  return result;
}
