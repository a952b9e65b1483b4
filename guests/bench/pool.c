// Creates a pool and stores a few values in a transaction: the shortest use of libpmemobj that is worth tracing.
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>

struct root {
  uint64_t values[4];
};

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  PMEMobjpool *pool = pmemobj_create(argv[1], "bench", PMEMOBJ_MIN_POOL, 0600);
  if (pool == NULL) {
    fprintf(stderr, "%s\n", pmemobj_errormsg());
    return 3;
  }
  PMEMoid oid = pmemobj_root(pool, sizeof(struct root));
  struct root *root = pmemobj_direct(oid);
  TX_BEGIN(pool) {
    pmemobj_tx_add_range(oid, 0, sizeof(struct root));
    for (int i = 0; i < 4; i++) root->values[i] = (uint64_t)i + 1;
  }
  TX_END
  printf("%lu\n", (unsigned long)root->values[3]);
  pmemobj_close(pool);
  return 0;
}
