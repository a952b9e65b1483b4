/*
 * Cells that are filled in a loop and never flushed, and a count that is durable before them: a flush for each cell, and one fence for
 * all behind the loop. The rounds around it each promise something, so that the fence goes no further out.
 */
#include "../check/structure.h"

struct table {
  alignas(LINE) uint64_t rounds;
  struct { alignas(LINE) uint64_t value; } cells[8];
};

static void fill(struct table *table, uint64_t round) {
  for (int i = 0; i < 8; i++) {
    if (i == 5) continue;
    table->cells[i].value = round;
  }
}

static void rounds(struct table *table) {
  for (uint64_t round = 1; round <= 2; round++) {
    fill(table, round);
    table->rounds = round;
    persist(&table->rounds, sizeof table->rounds);
  }
}

int main(int argc, char **argv) {
  struct table *table = pm_map(argv[1]);
  if (argc == 2) rounds(table);
  for (int i = 0; i < 8; i++)
    if (i != 5 && table->cells[i].value < table->rounds) fail(LOST, "cell %d is %d", i, (int)table->cells[i].value);
  return 0;
}
