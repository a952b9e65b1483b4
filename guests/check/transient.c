/*
 * Two words in persistent memory that nobody flushes: recovery takes one for a hint and never looks at the other. With BUG_TRUSTED it
 * believes the hint. argv: the pool, and "make" for the set-up or "check" for recovery.
 */
#include <string.h>
#include "../flush.h"

#define RECORDS 8
struct pool {
  uint64_t records[RECORDS];
  _Alignas(64) uint64_t hint;
  _Alignas(64) uint64_t scratch;
};

static void append(struct pool *pool, uint64_t at) {
  pool->records[at] = at + 1;
  clwb(&pool->records[at]);
  sfence();
  pool->hint = at + 1; // hint
  pool->scratch = at; // scratch
}

/* The hint may be older than the records, never newer. */
static int recover(const struct pool *pool) {
  uint64_t count = pool->hint; // load
#ifdef BUG_TRUSTED
  return count < RECORDS && pool->records[count] != 0;
#else
  while (count < RECORDS && pool->records[count] != 0) count++;
  for (uint64_t at = 0; at < count; at++)
    if (pool->records[at] == 0) return 3;
  return 0;
#endif
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  struct pool *pool = map_pool(argv[1], sizeof *pool);
  if (argc > 2) return strcmp(argv[2], "check") == 0 ? recover(pool) : 0;
  for (uint64_t at = 0; at < 3; at++) append(pool, at);
  return 0;
}
