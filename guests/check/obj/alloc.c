/*
 * Objects by libpmemobj's atomic allocator: a constructor fills them before they count, and allocating and freeing write
 * the place that names the object. BUG picks a seeded mistake.
 */
#include "obj.h"

#define THINGS 2
#define MAGIC 0x7468696e67ull

TOID_DECLARE(struct thing, 1);

struct thing { _Alignas(64) uint64_t magic; uint64_t value; };
struct things { struct { _Alignas(64) TOID(struct thing) thing; } all[THINGS]; };

static int construct(PMEMobjpool *pool, void *object, void *argument) {
  struct thing *thing = object;
  thing->magic = MAGIC;
  thing->value = *(uint64_t *)argument;
#ifndef BUG_MISSING_PERSIST
  pmemobj_persist(pool, thing, sizeof *thing);
#else
  (void)pool;
#endif
  return 0;
}

static void make(PMEMobjpool *pool, TOID(struct thing) *place, uint64_t value) {
#if defined BUG_LATE_CONSTRUCTION
  POBJ_ALLOC(pool, place, struct thing, sizeof(struct thing), NULL, NULL);
  construct(pool, D_RW(*place), &value);
#elif defined BUG_LEAK
  TOID(struct thing) made;
  POBJ_ALLOC(pool, &made, struct thing, sizeof(struct thing), construct, &value);
  *place = made;
  pmemobj_persist(pool, place, sizeof *place);
#else
  POBJ_ALLOC(pool, place, struct thing, sizeof(struct thing), construct, &value);
#endif
}

static void discard(PMEMobjpool *pool, TOID(struct thing) *place) {
#ifdef BUG_WRONG_ORDER
  TOID(struct thing) freed = *place;
  POBJ_FREE(&freed);
  *place = TOID_NULL(struct thing);
  pmemobj_persist(pool, place, sizeof *place);
#else
  (void)pool;
  POBJ_FREE(place);
#endif
}

static void work(PMEMobjpool *pool, void *root) {
  struct things *things = root;
  for (uint64_t i = 0; i < THINGS; i++) {
    make(pool, &things->all[i].thing, i + 1);
    acknowledge();
  }
  discard(pool, &things->all[0].thing);
  acknowledge();
}

static void inspect(PMEMobjpool *pool, void *root) {
  const struct things *things = root;
  uint64_t named = 0, allocated = objects(pool);
  for (uint64_t i = 0; i < THINGS; i++) {
    TOID(struct thing) thing = things->all[i].thing;
    if (TOID_IS_NULL(thing)) continue;
    if (D_RO(thing)->magic != MAGIC) fail(BROKEN, "thing %lu was not constructed", i);
    say("%lu", D_RO(thing)->value);
    named++;
  }
  if (named != allocated) fail(BROKEN, "%lu named, %lu allocated", named, allocated);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"", "1", "1 2", "2", NULL};
  static const struct guest guest = {sizeof(struct things), NULL, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
