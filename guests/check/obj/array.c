/*
 * A persistent array in the root object: a cell is appended with pmemobj_persist, and counted when it is durable; a turn of
 * all cells is a transaction. BUG picks a seeded mistake; without it the program is correct.
 */
#include "obj.h"

#define CELLS 3

struct array {
  _Alignas(64) uint64_t count;
  struct { _Alignas(64) uint64_t value; } cells[CELLS];
};

static void append(PMEMobjpool *pool, struct array *array, uint64_t value) {
  uint64_t *count = &array->count, *cell = &array->cells[*count].value;
#ifdef BUG_WRONG_ORDER
  *count += 1;
  pmemobj_persist(pool, count, sizeof *count);
#endif
  *cell = value;
#if defined BUG_MISSING_FENCE
  pmemobj_flush(pool, cell, sizeof *cell);
#elif !defined BUG_MISSING_PERSIST
  pmemobj_persist(pool, cell, sizeof *cell);
#endif
#ifndef BUG_WRONG_ORDER
  *count += 1;
  pmemobj_persist(pool, count, sizeof *count);
#endif
}

/* The last cell becomes the first, the others follow. */
static void turn(PMEMobjpool *pool, struct array *array) {
  TX_BEGIN(pool) {
    uint64_t last = array->cells[CELLS - 1].value;
    for (int i = CELLS - 1; i >= 0; i--) {
#ifdef BUG_MISSING_ADD
      if (i != 1)
#endif
        TX_ADD_DIRECT(&array->cells[i].value);
      array->cells[i].value = i == 0 ? last : array->cells[i - 1].value;
    }
  }
  TX_END
}

static void work(PMEMobjpool *pool, void *root) {
  for (uint64_t value = 1; value <= CELLS; value++) {
    append(pool, root, value);
    acknowledge();
  }
  turn(pool, root);
  acknowledge();
}

static void inspect(PMEMobjpool *pool, void *root) {
  (void)pool;
  const struct array *array = root;
  if (array->count > CELLS) fail(BROKEN, "%lu cells", array->count);
  for (uint64_t i = 0; i < array->count; i++) say("%lu", array->cells[i].value);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"", "1", "1 2", "1 2 3", "3 1 2", NULL};
  static const struct guest guest = {sizeof(struct array), NULL, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
