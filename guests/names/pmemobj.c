/* Objects of libpmemobj, by typed ids (TOID, D_RW) and by plain pointers. */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OUTLINE __attribute__((noipa))

POBJ_LAYOUT_BEGIN(names);
POBJ_LAYOUT_ROOT(names, struct root);
POBJ_LAYOUT_TOID(names, struct node);
POBJ_LAYOUT_END(names);

struct node { uint64_t value; TOID(struct node) next; char name[16]; };
struct root { TOID(struct node) head; uint64_t count; uint64_t cells[4]; };

OUTLINE static void push(PMEMobjpool *pool, TOID(struct root) root, uint64_t value) {
  TX_BEGIN(pool) {
    TX_ADD(root);
    TOID(struct node) node = TX_ZNEW(struct node);
    D_RW(node)->value = value;                        // name: D_RW(node)->value; node.value
    D_RW(node)->next = D_RO(root)->head;              // name: D_RW(node)->next.…; node.next.…
    D_RW(root)->head = node;                          // name: D_RW(root)->head.…; root.head.…
    D_RW(root)->count++;                              // name: D_RW(root)->count; root.count
  }
  TX_END
}

OUTLINE static void plain(PMEMobjpool *pool, struct root *root, const char *name) {
  struct node *first = D_RW(root->head);
  first->value = 4;                                   // name: first->value; node.value
  pmemobj_persist(pool, &first->value, sizeof first->value);
  pmemobj_memcpy_persist(pool, first->name, name, 16); // name: first->name; node.name
  root->cells[2] = 7;                                 // name: root->cells[2]; root.cells[2]
  pmemobj_persist(pool, &root->cells[2], sizeof root->cells[2]);
  D_RW(D_RW(root->head)->next)->value = 9;            // name: D_RW(D_RW(root->head)->next)->value; node.value
  pmemobj_persist(pool, &D_RW(D_RW(root->head)->next)->value, 8);
}

int main(int argc, char **argv) {
  PMEMobjpool *pool = pmemobj_create(argc > 1 ? argv[1] : "/tmp/pool", "names", PMEMOBJ_MIN_POOL, 0600);
  if (pool == NULL) return 2;
  TOID(struct root) root = POBJ_ROOT(pool, struct root);
  push(pool, root, 1);
  push(pool, root, 2);
  static const char name[16] = "sixteen bytes ok";
  plain(pool, D_RW(root), name);
  pmemobj_close(pool);
  return 0;
}
