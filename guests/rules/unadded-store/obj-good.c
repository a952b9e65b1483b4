/* TX_ADD adds both. */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

POBJ_LAYOUT_BEGIN(rules);
POBJ_LAYOUT_ROOT(rules, struct root);
POBJ_LAYOUT_END(rules);
struct root { uint64_t left, right; };

int main(void) {
  PMEMobjpool *pop = pmemobj_create("/tmp/pool", "rules", PMEMOBJ_MIN_POOL, 0600);
  if (pop == NULL) { perror("pmemobj_create"); exit(2); }
  TOID(struct root) root = POBJ_ROOT(pop, struct root);
  TX_BEGIN(pop) {
    TX_ADD(root);
    D_RW(root)->left = 1;
    D_RW(root)->right = 2;
  } TX_END
  pmemobj_close(pop);
  return 0;
}
