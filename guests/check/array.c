/*
 * A persistent array of cells with a count, on raw flushes. Run on a fresh pool it appends; run on an old one it checks
 * that every counted cell holds its value, then goes on. BUG picks a seeded mistake; without it the program is correct.
 */
#include "pm.h"

#define CELLS 6
#define VALUE(i) (0x1111111111111111ull * ((i) + 1))

struct array {
  _Alignas(64) volatile uint64_t count;
  struct { _Alignas(64) volatile uint64_t value; } cells[CELLS];
};

static void check(const struct array *array) {
  if (array->count > CELLS) { fprintf(stderr, "count is %lu\n", (unsigned long)array->count); abort(); }
  for (uint64_t i = 0; i < array->count; i++)
    if (array->cells[i].value != VALUE(i)) { fprintf(stderr, "cell %lu is lost\n", (unsigned long)i); exit(3); }
}

static void append(struct array *array) {
  uint64_t i = array->count;
#ifdef BUG_WRONG_ORDER
  array->count = i + 1;
  persist(&array->count);
#endif
  array->cells[i].value = VALUE(i);
#ifndef BUG_MISSING_FLUSH
  clwb(&array->cells[i].value);
#endif
#ifndef BUG_MISSING_FENCE
  sfence();
#endif
#ifndef BUG_WRONG_ORDER
  array->count = i + 1;
  persist(&array->count);
#endif
}

int main(int argc, char **argv) {
  struct array *array = pm_map(argv[argc - 1]);
  check(array);
  while (array->count < CELLS) append(array);
  return 0;
}
