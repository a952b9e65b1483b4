/* libpmemobj: a list in a pool, transactions that commit and abort, allocation, closing, opening again, walking. */
#include <libpmemobj.h>
#include <stdio.h>
#include <string.h>

POBJ_LAYOUT_BEGIN(list);
POBJ_LAYOUT_ROOT(list, struct root);
POBJ_LAYOUT_TOID(list, struct node);
POBJ_LAYOUT_END(list);

struct node {
  int value;
  TOID(struct node) next;
  char text[40];
};
struct root {
  TOID(struct node) head;
  int count;
};

static void push(PMEMobjpool *pool, TOID(struct root) root, int value) {
  TX_BEGIN(pool) {
    TOID(struct node) node = TX_NEW(struct node);
    D_RW(node)->value = value;
    snprintf(D_RW(node)->text, sizeof D_RW(node)->text, "node number %d", value);
    D_RW(node)->next = D_RO(root)->head;
    TX_ADD(root);
    D_RW(root)->head = node;
    D_RW(root)->count++;
    if (value % 10 == 9) pmemobj_tx_abort(1);
  }
  TX_END
}

static void show(TOID(struct root) root) {
  long sum = 0;
  int count = 0;
  for (TOID(struct node) node = D_RO(root)->head; !TOID_IS_NULL(node); node = D_RO(node)->next) {
    sum = sum * 3 + D_RO(node)->value + D_RO(node)->text[12];
    count++;
  }
  printf("count %d walked %d sum %ld\n", D_RO(root)->count, count, sum);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "objects";
  PMEMobjpool *pool = pmemobj_create(path, POBJ_LAYOUT_NAME(list), PMEMOBJ_MIN_POOL, 0600);
  if (!pool) {
    printf("%s\n", pmemobj_errormsg());
    return 1;
  }
  TOID(struct root) root = POBJ_ROOT(pool, struct root);
  for (int i = 0; i < 200; i++) push(pool, root, i);
  show(root);
  while (D_RO(root)->count > 50) {
    TX_BEGIN(pool) {
      TOID(struct node) first = D_RO(root)->head;
      TX_ADD(root);
      D_RW(root)->head = D_RO(first)->next;
      D_RW(root)->count--;
      TX_FREE(first);
    }
    TX_END
  }
  PMEMoid block;
  printf("alloc %d\n", pmemobj_alloc(pool, &block, 5000, 7, NULL, NULL));
  pmemobj_memset_persist(pool, pmemobj_direct(block), 3, 5000);
  printf("usable %d type %lu\n", pmemobj_alloc_usable_size(block) >= 5000, pmemobj_type_num(block));
  pmemobj_free(&block);
  pmemobj_close(pool);
  printf("check %d\n", pmemobj_check(path, POBJ_LAYOUT_NAME(list)));
  pool = pmemobj_open(path, POBJ_LAYOUT_NAME(list));
  if (!pool) return 2;
  root = POBJ_ROOT(pool, struct root);
  show(root);
  pmemobj_close(pool);
  return 0;
}
