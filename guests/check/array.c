/*
 * A persistent array: a count, and for each place the number of the cell that holds its value. A run appends to the end,
 * then replaces values, each through a cell that nothing names. BUG picks a seeded mistake; without it the program is
 * correct.
 */
#include "structure.h"

#define PLACES 4
#define REPLACED 2
#define VALUE(i) (0x1111111111111111ull * ((i) + 1))
#define REPLACEMENT(i) (VALUE(i) + 0xab)

/* Two lines: they persist one without the other. */
struct cell { alignas(LINE) uint64_t value; alignas(LINE) uint64_t inverse; };
struct array {
  alignas(LINE) uint64_t count;
  alignas(LINE) uint64_t places[PLACES];
  struct cell cells[PLACES + 1];
};

static uint64_t value_at(const struct array *array, uint64_t i) { return array->cells[array->places[i]].value; }

static void recover(void *pool) {
  const struct array *array = pool;
#ifdef BUG_RECOVERY
  /* Takes what lies behind the end for an append that only lacks its count. */
  struct array *mended = pool;
  if (mended->count < PLACES && mended->cells[mended->count].value != 0) {
    mended->places[mended->count] = mended->count;
    mended->count++;
  }
#endif
  if (array->count > PLACES) { fprintf(stderr, "count is %lu\n", (unsigned long)array->count); abort(); }
  for (uint64_t i = 0; i < array->count; i++) {
    if (array->places[i] > PLACES) fail(BROKEN, "place %d is wild", (int)i);
    const struct cell *cell = &array->cells[array->places[i]];
    if (cell->value != ~cell->inverse) fail(BROKEN, "cell %d is lost", (int)i);
  }
}

static void fill(struct cell *cell, uint64_t value) {
  cell->value = value;
  cell->inverse = ~value;
}

static void append(struct array *array) {
  uint64_t i = array->count;
#ifdef BUG_WRONG_ORDER
  array->count = i + 1;
  persist(&array->count, sizeof array->count);
#endif
  fill(&array->cells[i], VALUE(i));
  array->places[i] = i;
  flush(&array->places[i], sizeof array->places[i]);
#ifndef BUG_MISSING_FLUSH
  flush(&array->cells[i], sizeof array->cells[i]);
#endif
#ifndef BUG_MISSING_FENCE
  fence();
#endif
#ifndef BUG_WRONG_ORDER
  array->count = i + 1;
  persist(&array->count, sizeof array->count);
#endif
}

/* The cell that no place names. */
static uint64_t spare(const struct array *array) {
  uint64_t free = PLACES * (PLACES + 1) / 2;
  for (uint64_t i = 0; i < PLACES; i++) free -= array->places[i];
  return free;
}

static void replace(struct array *array, uint64_t i) {
#ifdef BUG_NON_ATOMIC
  uint64_t cell = array->places[i];
#else
  uint64_t cell = spare(array);
#endif
  fill(&array->cells[cell], REPLACEMENT(i));
  persist(&array->cells[cell], sizeof array->cells[cell]);
  array->places[i] = cell;
#ifndef BUG_LOST_ACK
  persist(&array->places[i], sizeof array->places[i]);
#endif
}

static void operate(void *pool, int operation) {
  if (operation < PLACES) append(pool);
  else replace(pool, operation - PLACES);
}

static bool holds(void *pool, int operations) {
  const struct array *array = pool;
  int appended = operations < PLACES ? operations : PLACES;
  if (array->count != (uint64_t)appended) return false;
  for (int i = 0; i < appended; i++)
    if (value_at(array, i) != (i < operations - PLACES ? REPLACEMENT(i) : VALUE(i))) return false;
  return true;
}

static void show(void *pool) {
  const struct array *array = pool;
  for (uint64_t i = 0; i < array->count; i++) printf("%lx\n", (unsigned long)value_at(array, i));
}

int main(int argc, char **argv) {
  const struct guest guest = {PLACES + REPLACED, recover, operate, holds, show};
  return drive(&guest, argc, argv);
}
