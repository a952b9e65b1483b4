/*
 * A hash map of chains that grows: entries come, move and go in transactions, a known key's value is replaced by one store
 * and pmemobj_persist. BUG picks a seeded mistake.
 */
#include "obj.h"

TOID_DECLARE(struct entry, 1);
TOID_DECLARE(struct table, 2);

struct entry { uint64_t key, value; TOID(struct entry) next; };
struct table { uint64_t size; TOID(struct entry) chains[]; };
struct map {
  _Alignas(64) TOID(struct table) table;
  _Alignas(64) uint64_t count;
};

static TOID(struct entry) *chain(TOID(struct table) table, uint64_t key) {
  return &D_RW(table)->chains[key % D_RO(table)->size];
}

static struct entry *find(const struct map *map, uint64_t key) {
  TOID(struct entry) entry = *chain(map->table, key);
  while (!TOID_IS_NULL(entry) && D_RO(entry)->key != key) entry = D_RO(entry)->next;
  return D_RW(entry);
}

static TOID(struct table) new_table(uint64_t size) {
  TOID(struct table) table = TX_ZALLOC(struct table, sizeof(struct table) + size * sizeof(PMEMoid));
  D_RW(table)->size = size;
  return table;
}

static void put(PMEMobjpool *pool, struct map *map, uint64_t key, uint64_t value) {
  struct entry *known = find(map, key);
  if (known) {
    known->value = value;
#ifndef BUG_LOST_ACK
    pmemobj_persist(pool, &known->value, sizeof value);
#endif
    return;
  }
  TX_BEGIN(pool) {
    TOID(struct entry) entry = TX_NEW(struct entry);
    TOID(struct entry) *first = chain(map->table, key);
    *D_RW(entry) = (struct entry){key, value, *first};
#ifndef BUG_MISSING_ADD
    TX_ADD_DIRECT(first);
#endif
    *first = entry;
    TX_ADD_DIRECT(&map->count);
    map->count++;
  }
  TX_END
}

static void grow(PMEMobjpool *pool, struct map *map) {
  TX_BEGIN(pool) {
    TOID(struct table) old = map->table, grown = new_table(2 * D_RO(old)->size);
#ifdef BUG_WRONG_ORDER
    map->table = grown;
    pmemobj_persist(pool, &map->table, sizeof map->table);
#else
    TX_ADD_DIRECT(&map->table);
    map->table = grown;
#endif
    for (uint64_t i = 0; i < D_RO(old)->size; i++)
      for (TOID(struct entry) entry = D_RO(old)->chains[i], next; !TOID_IS_NULL(entry); entry = next) {
        next = D_RO(entry)->next;
        TX_ADD_FIELD(entry, next);
        D_RW(entry)->next = *chain(grown, D_RO(entry)->key);
        *chain(grown, D_RO(entry)->key) = entry;
      }
    TX_FREE(old);
  }
  TX_END
}

static void drop(PMEMobjpool *pool, struct map *map, uint64_t key) {
  TX_BEGIN(pool) {
    TOID(struct entry) *link = chain(map->table, key), entry;
    while (D_RO(*link)->key != key) link = &D_RW(*link)->next;
    entry = *link;
    TX_ADD_DIRECT(link);
    *link = D_RO(entry)->next;
#ifndef BUG_NON_ATOMIC
    TX_ADD_DIRECT(&map->count);
    map->count--;
#endif
    TX_FREE(entry);
  }
  TX_END
#ifdef BUG_NON_ATOMIC
  map->count--;
  pmemobj_persist(pool, &map->count, sizeof map->count);
#endif
}

static void prepare(PMEMobjpool *pool, void *root) {
  struct map *map = root;
  TX_BEGIN(pool) {
    TX_ADD_DIRECT(&map->table);
    map->table = new_table(2);
  }
  TX_END
  put(pool, map, 1, 10);
}

static void work(PMEMobjpool *pool, void *root) {
  put(pool, root, 3, 30);
  acknowledge();
  put(pool, root, 3, 31);
  acknowledge();
  grow(pool, root);
  acknowledge();
  drop(pool, root, 1);
  acknowledge();
}

static void inspect(PMEMobjpool *pool, void *root) {
  const struct map *map = root;
  uint64_t found = 0, allocated = objects(pool);
  say("%lu:", D_RO(map->table)->size);
  for (uint64_t key = 1; key < 4; key++) {
    struct entry *entry = find(map, key);
    if (!entry) continue;
    say("%lu=%lu", key, entry->value);
    found++;
  }
  if (found != map->count) fail(BROKEN, "%lu found, %lu counted", found, map->count);
  if (found + 1 != allocated) fail(BROKEN, "%lu found, %lu allocated", found, allocated - 1);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"2: 1=10", "2: 1=10 3=30", "2: 1=10 3=31", "4: 1=10 3=31", "4: 3=31", NULL};
  static const struct guest guest = {sizeof(struct map), prepare, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
