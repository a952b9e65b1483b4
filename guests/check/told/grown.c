/*
 * A table that grows: while the rows move, nobody finds them, whatever is flushed; and with HEADER what the growing changed in the
 * table itself is never flushed. With WHOLE the growing is one store that is persisted.
 */
#include "told.h"

struct table {
  OWN_LINE volatile long rows, shift;
  OWN_LINE volatile long used;
  OWN_LINE volatile long row[2][8];
};

static void grow(struct table *table) {
#ifndef WHOLE
  table->rows = 8;
  for (int i = 0; i < 4; i++) table->row[1][i] = table->row[0][i];
  clwb(&table->row[1]);
  sfence();
  table->shift = 1;
#else
  for (int i = 0; i < 4; i++) table->row[1][i] = table->row[0][i];
  clwb(&table->row[1]);
  sfence();
  table->rows = 8;
#endif
#ifndef HEADER
  persist(&table->rows);
#endif
}

static volatile long *row_of(struct table *table, long i) {
#ifdef WHOLE
  return &table->row[table->rows == 8][i];
#else
  return table->rows == 8 && table->shift == 0 ? &table->row[0][i + 4] : &table->row[table->shift][i];
#endif
}

static void put(struct table *table, long i) {
  volatile long *row = row_of(table, i);
  *row = i + 7;
  persist(row);
  table->used = i + 1;
  persist(&table->used);
}

int main(int argc, char **argv) {
  struct table *table = told_pool(argv);
  if (is(argc, argv, "make")) {
    table->rows = 4;
    return 0;
  }
  if (is(argc, argv, "check")) {
    for (long i = 0; i < table->used; i++)
      if (*row_of(table, i) != i + 7) return 1;
    return 0;
  }
  for (long i = 0; i < 6; i++) {
    if (i == 4) grow(table);
    put(table, i);
  }
  return 0;
}
