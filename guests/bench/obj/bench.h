/*
 * What the benches on libpmemobj share: `program POOL OPERATIONS` works on the pool, which it creates if there is none. The
 * last line says what came of it, so that runs can be compared.
 */
#ifndef BENCH_H
#define BENCH_H
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does the operations and says something that depends on all of them. */
typedef uint64_t work_function(PMEMobjpool *pool, void *root, uint64_t operations);

enum { POOL_BYTES = 64 << 20 };

static uint64_t state = 88172645463325252u;

/* Marsaglia's xorshift: the same numbers in every run. */
static uint64_t random_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static int bench(int argc, char **argv, size_t root_bytes, work_function *work) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s POOL OPERATIONS\n", argv[0]);
    return 2;
  }
  PMEMobjpool *pool = pmemobj_open(argv[1], "bench");
  if (!pool) pool = pmemobj_create(argv[1], "bench", POOL_BYTES, 0600);
  if (!pool) {
    fprintf(stderr, "%s\n", pmemobj_errormsg());
    return 3;
  }
  void *root = pmemobj_direct(pmemobj_root(pool, root_bytes));
  printf("%lu\n", (unsigned long)work(pool, root, strtoul(argv[2], NULL, 10)));
  pmemobj_close(pool);
  return 0;
}
#endif
