/*
 * A transaction of libpmemobj whose undo log is several lines long: recovery takes the library's own checksum over it, in any
 * combination of lines that a crash may leave. argv: "setup", "run" or "recover", the pool.
 */
#include <libpmemobj.h>
#include <stdio.h>
#include <string.h>

#define BYTES 1024
#define VALUES (BYTES / sizeof(long))

static PMEMobjpool *pool;

static int fill(long first) {
  PMEMoid root = pmemobj_root(pool, BYTES);
  long *values = pmemobj_direct(root);
  TX_BEGIN(pool) {
    pmemobj_tx_add_range(root, 0, BYTES);
    for (unsigned i = 0; i < VALUES; i++) values[i] = first + i;
  } TX_END
  return 0;
}

static int check(void) {
  long *values = pmemobj_direct(pmemobj_root(pool, BYTES));
  for (unsigned i = 0; i < VALUES; i++)
    if (values[i] != values[0] + (long)i) return 3;
  return values[0] == 1 || values[0] == 5 ? 0 : 4;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int is_setup = strcmp(argv[1], "setup") == 0;
  pool = is_setup ? pmemobj_create(argv[2], "snapshot", PMEMOBJ_MIN_POOL, 0600) : pmemobj_open(argv[2], "snapshot");
  if (pool == NULL) { fprintf(stderr, "%s\n", pmemobj_errormsg()); return 2; }
  int code = is_setup ? fill(1) : strcmp(argv[1], "run") == 0 ? fill(5) : check();
  pmemobj_close(pool);
  return code;
}
