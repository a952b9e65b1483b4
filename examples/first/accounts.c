// Two accounts on libpmemobj. Its mistake: the transaction knows of the one that gives, and not of the one that takes.
#include <libpmemobj.h>
#include <stdio.h>
#include <string.h>

struct root { uint64_t gives; char apart[120]; uint64_t takes; };

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[2] : "run";
  int create = strcmp(what, "create") == 0;
  PMEMobjpool *pool = create ? pmemobj_create(argv[1], "accounts", PMEMOBJ_MIN_POOL, 0644) : pmemobj_open(argv[1], "accounts");
  if (pool == NULL) { fprintf(stderr, "%s\n", pmemobj_errormsg()); return 2; }
  struct root *root = pmemobj_direct(pmemobj_root(pool, sizeof *root));
  if (create) {
    root->gives = 100;
    pmemobj_persist(pool, root, sizeof *root);
  } else if (strcmp(what, "check") == 0) {
    if (root->gives + root->takes != 100) { printf("%lu and %lu are not 100\n", root->gives, root->takes); return 1; }
  } else {
    TX_BEGIN(pool) {
      pmemobj_tx_add_range_direct(&root->gives, sizeof root->gives);
      root->gives -= 10;
      root->takes += 10;
    } TX_END
  }
  pmemobj_close(pool);
  return 0;
}
