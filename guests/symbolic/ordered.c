/*
 * A log of records with a count, each in a line of its own. "a" appends a record; "r" puts another in place of the last one, and is only
 * wrong in the order in which it persists: no rule sees that. With a second argument it checks: every record that counts is whole.
 */
#include "pool.h"

#define LINE 8

static void append(uint64_t *pool, uint64_t value) {
  uint64_t *record = pool + LINE * (pool[0] + 1);
  store(record, value);
  store(record + 1, ~value);
  persist(record);
  store(pool, pool[0] + 1);
  persist(pool);
}

static void replace(uint64_t *pool, uint64_t value) {
#ifdef RIGHT
  store(pool, pool[0] - 1);
  persist(pool);
  append(pool, value);
#else
  uint64_t *record = pool + LINE * pool[0];
  store(record, value);
  persist(record);
  store(record + 1, ~value);
  persist(record);
#endif
}

static int check(const uint64_t *pool) {
  for (uint64_t i = 1; i <= pool[0]; i++)
    if (pool[LINE * i + 1] != ~pool[LINE * i]) return 1;
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  if (argc > 2) return check(pool);
  unsigned char line[2];
  while (read(0, line, sizeof line) == sizeof line) {
    if (line[0] == 'a') append(pool, line[1]);
    else if (line[0] == 'r' && pool[0] > 0) replace(pool, 256 + line[1]);
    else break;
  }
  return 0;
}
