/*
 * Millions of stores: cells of two versions, of which the one that does not count is written and persisted before one store makes it
 * count. `PROGRAM POOL STORES` makes so many stores; `PROGRAM POOL` recovers: it looks at the version of each cell that counts.
 * BUG_EARLY: one update in 65 536, the first of them after as many, counts before it is persisted.
 */
#define POOL_BYTES (4ul << 20)
#include "../check/pm.h"

#define CELLS (1ul << 14)
#define SELDOM (1ul << 16)
#define STORES_EACH 4

struct version { uint64_t number, value, check; };
struct cell {
  _Alignas(64) struct version versions[2];
  _Alignas(64) uint64_t counts;
};

static uint64_t check_of(const struct version *version) { return version->number * 31 + version->value * 7 + 1; }

static void fill(struct version *version, uint64_t number) {
  version->number = number;
  version->value = number * number;
  version->check = check_of(version);
}
static void update(struct cell *cell, uint64_t number) {
  uint64_t next = 1 - cell->counts;
  fill(&cell->versions[next], number);
  persist(&cell->versions[next]);
  cell->counts = next;
  persist(&cell->counts);
}
#ifdef BUG_EARLY
static void update_early(struct cell *cell, uint64_t number) {
  uint64_t next = 1 - cell->counts;
  fill(&cell->versions[next], number);
  cell->counts = next;
  persist(&cell->counts);
  persist(&cell->versions[next]);
}
#endif

static int look(const struct cell *cells) {
  for (uint64_t i = 0; i < CELLS; i++) {
    const struct version *version = &cells[i].versions[cells[i].counts];
    if (version->number != 0 && version->check != check_of(version)) {
      fprintf(stderr, "cell %lu is broken\n", (unsigned long)i);
      return 3;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  struct cell *cells = pm_map(argv[1]);
  if (argc == 2) return look(cells);
  uint64_t updates = strtoul(argv[2], NULL, 10) / STORES_EACH;
  for (uint64_t i = 1; i <= updates; i++) {
    struct cell *cell = &cells[i * 7919 % CELLS];
#ifdef BUG_EARLY
    if (i % SELDOM == 0) {
      update_early(cell, i);
      continue;
    }
#endif
    update(cell, i);
  }
  return 0;
}
