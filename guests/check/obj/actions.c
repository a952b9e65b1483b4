/*
 * A redo-log store: records are reserved, filled, and published together with the offsets that lead to them; a replaced
 * record is freed in the same publication. BUG picks a seeded mistake.
 */
#include "obj.h"

#define RECORDS 2

struct record { _Alignas(64) uint64_t value; };
struct store {
  _Alignas(64) uint64_t count;
  _Alignas(64) uint64_t offsets[RECORDS];
};

static struct record *at(PMEMobjpool *pool, uint64_t offset) { return (struct record *)((char *)pool + offset); }

static uint64_t reserve(PMEMobjpool *pool, struct pobj_action *action, uint64_t value) {
  PMEMoid oid = pmemobj_reserve(pool, action, sizeof(struct record), 1);
  struct record *record = pmemobj_direct(oid);
  record->value = value;
#ifndef BUG_MISSING_PERSIST
  pmemobj_persist(pool, record, sizeof *record);
#endif
  return oid.off;
}

static void put(PMEMobjpool *pool, struct store *store, uint64_t value) {
  struct pobj_action actions[3];
  uint64_t offset = reserve(pool, &actions[0], value), at = store->count;
#ifdef BUG_WRONG_ORDER
  store->offsets[at] = offset;
  store->count = at + 1;
  pmemobj_persist(pool, store, sizeof *store);
  pmemobj_publish(pool, actions, 1);
#else
  pmemobj_set_value(pool, &actions[1], &store->offsets[at], offset);
  pmemobj_set_value(pool, &actions[2], &store->count, at + 1);
#ifdef BUG_NON_ATOMIC
  pmemobj_publish(pool, actions, 1);
  pmemobj_publish(pool, actions + 1, 2);
#else
#ifdef BUG_LOST_ACK
  acknowledge();
#endif
  pmemobj_publish(pool, actions, 3);
#endif
#endif
#ifndef BUG_LOST_ACK
  acknowledge();
#endif
}

static void replace(PMEMobjpool *pool, struct store *store, uint64_t at, uint64_t value) {
  struct pobj_action actions[3];
  uint64_t offset = reserve(pool, &actions[0], value);
  PMEMoid old = pmemobj_oid((char *)pool + store->offsets[at]);
  pmemobj_set_value(pool, &actions[1], &store->offsets[at], offset);
  pmemobj_defer_free(pool, old, &actions[2]);
  pmemobj_publish(pool, actions, 3);
  acknowledge();
}

static void work(PMEMobjpool *pool, void *root) {
  for (uint64_t value = 1; value <= RECORDS; value++) put(pool, root, value);
  replace(pool, root, 0, 3);
}

static void inspect(PMEMobjpool *pool, void *root) {
  const struct store *store = root;
  uint64_t allocated = objects(pool);
  if (store->count > RECORDS) fail(BROKEN, "%lu records", store->count);
  if (store->count != allocated) fail(BROKEN, "%lu records, %lu allocated", store->count, allocated);
  for (uint64_t i = 0; i < store->count; i++) say("%lu", at(pool, store->offsets[i])->value);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"", "1", "1 2", "3 2", NULL};
  static const struct guest guest = {sizeof(struct store), NULL, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
