/*
 * Words that are filled in a loop and never flushed, and a count that is durable before them: the loop stores to a range, which is flushed
 * once behind it. Beside them a word that each turn stores to, and marks that have gaps between them: the latter are flushed one by one.
 */
#include "../check/structure.h"

struct table {
  alignas(LINE) uint64_t rounds;
  alignas(LINE) uint64_t words[24];
  alignas(LINE) uint64_t last;
  alignas(LINE) struct { uint64_t mark, rest[23]; } marks[4];
};

static void fill(struct table *table, int words, uint64_t round) {
  for (int i = 0; i < words; i++) {
    table->words[i] = round;
  }
  for (int i = 1; i <= 3; i++)
    table->last = 100 * round + i;
  for (int i = 0; i < 4; i++) table->marks[i].mark = round;
}

int main(int argc, char **argv) {
  struct table *table = pm_map(argv[1]);
  for (uint64_t round = 1; argc == 2 && round <= 2; round++) {
    fill(table, 20, round);
    table->rounds = round;
    persist(&table->rounds, sizeof table->rounds);
  }
  for (int i = 0; i < 20; i++)
    if (table->words[i] < table->rounds) fail(LOST, "word %d is %d", i, (int)table->words[i]);
  for (int i = 0; i < 4; i++)
    if (table->marks[i].mark < table->rounds) fail(LOST, "mark %d is %d", i, (int)table->marks[i].mark);
  if (table->rounds > 0 && table->last < 100 * table->rounds + 3) fail(LOST, "the last is %d", (int)table->last);
  return 0;
}
