/*
 * A transfer between two accounts behind an undo log. argv: "setup", "run" or "recover", the pool.
 * Recovery puts the logged balances back and clears the log. It can be stopped anywhere and begun again.
 * UNFENCED: it clears the log before what it put back is sure to survive: a second power cut inside recovery shows it.
 * FORGOTTEN: it takes the first balance for the second's: cut between the two, the next recovery leaves the second as it is.
 */
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 4096
#define TOTAL 100

struct pool {
  uint64_t from;
  char gap[56];
  uint64_t to;
  char another[56];
  struct { uint64_t from, to, valid; } log;
};

static void flush(void *at) { clwb(at); }

static void persist(void *at) {
  flush(at);
  sfence();
}

static void transfer(struct pool *pool, uint64_t amount) {
  pool->log.from = pool->from;
  pool->log.to = pool->to;
  persist(&pool->log);
  pool->log.valid = 1;
  persist(&pool->log);
  pool->to += amount;
  persist(&pool->to);
  pool->from -= amount;
  persist(&pool->from);
  pool->log.valid = 0;
  persist(&pool->log);
}

static void roll_back(struct pool *pool) {
#ifdef FORGOTTEN
  if (pool->to != pool->log.to) {
    pool->to = pool->log.to;
    persist(&pool->to);
    pool->from = pool->log.from;
    persist(&pool->from);
  }
#else
  pool->from = pool->log.from;
  flush(&pool->from);
  pool->to = pool->log.to;
  flush(&pool->to);
#ifndef UNFENCED
  sfence();
#endif
#endif
  pool->log.valid = 0;
  persist(&pool->log);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  struct pool *pool = map_pool(argv[2], POOL_BYTES);
  if (strcmp(argv[1], "setup") == 0) pool->from = TOTAL;
  else if (strcmp(argv[1], "run") == 0) transfer(pool, 30);
  else {
    if (pool->log.valid) roll_back(pool);
    if (pool->from + pool->to != TOTAL) {
      fprintf(stderr, "%s:%d: balances do not add up\n", __FILE__, __LINE__);
      return 1;
    }
  }
  return 0;
}
