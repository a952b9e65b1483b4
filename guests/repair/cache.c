/*
 * A table of cells that is a cache in ordinary memory most of the time, and kept in persistent memory now and then: the same
 * functions fill both. `kept` counts what is there, and is durable last.
 */
#include "../check/structure.h"

#define CELLS 16

struct cell {
  alignas(LINE) uint64_t value;
  uint64_t sum, key;
};

struct table {
  alignas(LINE) uint64_t kept;
  struct cell cells[CELLS];
};

static uint64_t place_of(const struct table *table, uint64_t key) {
  uint64_t at = key * 7 % CELLS;
  while (table->cells[at].key != 0 && table->cells[at].key != key) at = (at + 1) % CELLS;
  return at;
}

static void put(struct table *table, uint64_t key, uint64_t value) {
  uint64_t at = place_of(table, key);
  table->cells[at].value = value;
  table->cells[at].sum = key ^ value;
  table->cells[at].key = key;
}

static void keep(struct table *table, uint64_t key, uint64_t value) {
  put(table, key, value);
  flush(&table->cells[place_of(table, key)], sizeof(struct cell));
  fence();
  table->kept = key;
  persist(&table->kept, sizeof table->kept);
}

static void work(struct table *table) {
  static struct table cache;
  for (uint64_t key = 1; key <= 8; key++) {
    for (uint64_t turn = 1; turn <= 4; turn++) put(&cache, key, key * turn);
    keep(table, key, cache.cells[place_of(&cache, key)].value);
  }
}

int main(int argc, char **argv) {
  struct table *table = pm_map(argv[1]);
  if (argc == 2 && table->kept == 0) work(table);
  for (uint64_t key = 1; key <= table->kept; key++) {
    const struct cell *cell = &table->cells[place_of(table, key)];
    if (cell->value != key * 4 || cell->sum != (key ^ cell->value)) fail(LOST, "%d is not kept", (int)key);
  }
  return 0;
}
