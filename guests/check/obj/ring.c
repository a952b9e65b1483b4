/*
 * A log in a ring of slots: a record takes one slot or two, is copied with pmemobj_memcpy, and counts when the end moves
 * past it; the oldest is dropped by moving the start. BUG picks a seeded mistake.
 */
#include "obj.h"

#define SLOTS 4

struct slot {
  _Alignas(64) uint64_t span;
  uint64_t value, sum;
};
struct ring {
  _Alignas(64) uint64_t start;
  _Alignas(64) uint64_t end;
  struct slot slots[SLOTS];
};

static void move(PMEMobjpool *pool, uint64_t *mark, uint64_t by) {
  *mark += by;
  pmemobj_persist(pool, mark, sizeof *mark);
}

static void append(PMEMobjpool *pool, struct ring *ring, uint64_t value, uint64_t span) {
  struct slot record = {span, value, span ^ ~value}, *slot = &ring->slots[ring->end % SLOTS];
#ifdef BUG_WRONG_ORDER
  move(pool, &ring->end, span);
#endif
#ifdef BUG_HANG
  record.span = 0;
#endif
#if defined BUG_MISSING_PERSIST
  *slot = record;
#elif defined BUG_MISSING_FENCE
  pmemobj_memcpy(pool, slot, &record, sizeof record, PMEMOBJ_F_MEM_NODRAIN);
#else
  pmemobj_memcpy_persist(pool, slot, &record, sizeof record);
#endif
#ifndef BUG_WRONG_ORDER
  move(pool, &ring->end, span);
#endif
#ifdef BUG_HANG
  move(pool, &slot->span, span);
#endif
}

static void drop(PMEMobjpool *pool, struct ring *ring) {
  move(pool, &ring->start, ring->slots[ring->start % SLOTS].span);
}

static void work(PMEMobjpool *pool, void *root) {
  struct ring *ring = root;
  append(pool, ring, 1, 1);
  acknowledge();
  append(pool, ring, 2, 2);
  acknowledge();
  append(pool, ring, 3, 1);
  acknowledge();
#ifdef BUG_NON_ATOMIC
  append(pool, ring, 4, 1);
  drop(pool, ring);
  acknowledge();
#else
  drop(pool, ring);
  acknowledge();
  append(pool, ring, 4, 1);
#endif
  acknowledge();
}

static void inspect(PMEMobjpool *pool, void *root) {
  (void)pool;
  const struct ring *ring = root;
  uint64_t at = ring->start;
  while (at < ring->end) {
    const struct slot *slot = &ring->slots[at % SLOTS];
#ifndef BUG_HANG
    if (slot->sum != (slot->span ^ ~slot->value)) fail(BROKEN, "the record at %lu is damaged", at);
#endif
    say("%lu", slot->value);
    at += slot->span;
  }
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"", "1", "1 2", "1 2 3", "2 3", "2 3 4", NULL};
  static const struct guest guest = {sizeof(struct ring), NULL, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
