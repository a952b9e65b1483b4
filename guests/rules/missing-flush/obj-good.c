/* Every store is persisted. */
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
  D_RW(root)->left = 1;
  pmemobj_persist(pop, D_RW(root), sizeof(struct root));
  D_RW(root)->right = 2;
  pmemobj_persist(pop, &D_RW(root)->right, sizeof(uint64_t));
  pmemobj_close(pop);
  return 0;
}
