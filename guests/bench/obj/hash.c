/* A hash map with chains that grows when it is full: insertions, look-ups and removals of random keys, in transactions. */
#include "bench.h"

#define FIRST_BUCKETS 64

TOID_DECLARE(struct entry, 1);
TOID_DECLARE(struct buckets, 2);

struct entry { uint64_t key, value; TOID(struct entry) next; };
struct buckets { uint64_t count; TOID(struct entry) first[]; };
struct map { uint64_t entries; TOID(struct buckets) buckets; };

static size_t bytes_of(uint64_t count) { return sizeof(struct buckets) + count * sizeof(TOID(struct entry)); }

static TOID(struct entry) *chain_of(struct buckets *buckets, uint64_t key) {
  return &buckets->first[(key * 0x9e3779b97f4a7c15u >> 20) % buckets->count];
}

static void make_buckets(struct map *map, uint64_t count) {
  TOID(struct buckets) made = TX_ZALLOC(struct buckets, bytes_of(count));
  D_RW(made)->count = count;
  struct buckets *old = D_RW(map->buckets);
  for (uint64_t i = 0; old && i < old->count; i++)
    for (TOID(struct entry) entry = old->first[i], next; !TOID_IS_NULL(entry); entry = next) {
      next = D_RO(entry)->next;
      TOID(struct entry) *chain = chain_of(D_RW(made), D_RO(entry)->key);
      TX_ADD_FIELD(entry, next);
      D_RW(entry)->next = *chain;
      *chain = entry;
    }
  if (old) TX_FREE(map->buckets);
  TX_ADD_DIRECT(&map->buckets);
  map->buckets = made;
}

static void insert(PMEMobjpool *pool, struct map *map, uint64_t key, uint64_t value) {
  TX_BEGIN(pool) {
    if (map->entries >= 2 * D_RO(map->buckets)->count) make_buckets(map, 2 * D_RO(map->buckets)->count);
    TOID(struct entry) *chain = chain_of(D_RW(map->buckets), key);
    TOID(struct entry) entry = TX_NEW(struct entry);
    D_RW(entry)->key = key;
    D_RW(entry)->value = value;
    D_RW(entry)->next = *chain;
    TX_ADD_DIRECT(chain);
    *chain = entry;
    TX_SET_DIRECT(map, entries, map->entries + 1);
  }
  TX_END
}

static TOID(struct entry) *find(struct map *map, uint64_t key) {
  TOID(struct entry) *link = chain_of(D_RW(map->buckets), key);
  while (!TOID_IS_NULL(*link) && D_RO(*link)->key != key) link = &D_RW(*link)->next;
  return link;
}

static void take_out(PMEMobjpool *pool, struct map *map, TOID(struct entry) *link) {
  TX_BEGIN(pool) {
    TOID(struct entry) entry = *link;
    TX_ADD_DIRECT(link);
    *link = D_RO(entry)->next;
    TX_FREE(entry);
    TX_SET_DIRECT(map, entries, map->entries - 1);
  }
  TX_END
}

static uint64_t work(PMEMobjpool *pool, void *root, uint64_t operations) {
  struct map *map = root;
  if (TOID_IS_NULL(map->buckets)) TX_BEGIN(pool) { make_buckets(map, FIRST_BUCKETS); }
  TX_END
  uint64_t sum = 0;
  for (uint64_t i = 0; i < operations; i++) {
    uint64_t key = random_number() % operations + 1;
    TOID(struct entry) *link = find(map, key);
    if (TOID_IS_NULL(*link)) insert(pool, map, key, i);
    else if (i % 4 == 0) take_out(pool, map, link);
    else sum += D_RO(*link)->value;
  }
  return sum + map->entries;
}

int main(int argc, char **argv) { return bench(argc, argv, sizeof(struct map), work); }
