/*
 * A linked list of allocated nodes with a count beside its head, all of it changed in transactions. What is linked, what
 * is counted and what is allocated must agree. BUG picks a seeded mistake.
 */
#include "obj.h"

TOID_DECLARE(struct node, 1);

struct node { uint64_t value; TOID(struct node) next; };
struct list {
  _Alignas(64) TOID(struct node) head;
  _Alignas(64) uint64_t count;
};

static void push(PMEMobjpool *pool, struct list *list, uint64_t value) {
  TX_BEGIN(pool) {
    TOID(struct node) node = TX_NEW(struct node);
    D_RW(node)->value = value;
    D_RW(node)->next = list->head;
#ifndef BUG_MISSING_ADD
    TX_ADD_DIRECT(&list->head);
#endif
    list->head = node;
#ifndef BUG_NON_ATOMIC
    TX_ADD_DIRECT(&list->count);
    list->count++;
#endif
  }
  TX_END
#ifdef BUG_NON_ATOMIC
  list->count++;
  pmemobj_persist(pool, &list->count, sizeof list->count);
#endif
}

/* The last node becomes the first. */
static void turn(PMEMobjpool *pool, struct list *list) {
  TOID(struct node) before = list->head;
  while (!TOID_IS_NULL(D_RO(D_RO(before)->next)->next)) before = D_RO(before)->next;
  TOID(struct node) last = D_RO(before)->next;
#ifdef BUG_HANG
  D_RW(last)->next = list->head;
  pmemobj_persist(pool, &D_RW(last)->next, sizeof(PMEMoid));
  list->head = last;
  pmemobj_persist(pool, &list->head, sizeof(PMEMoid));
  D_RW(before)->next = TOID_NULL(struct node);
  pmemobj_persist(pool, &D_RW(before)->next, sizeof(PMEMoid));
#else
  TX_BEGIN(pool) {
    TX_SET(last, next, list->head);
    TX_ADD_DIRECT(&list->head);
    list->head = last;
    TX_SET(before, next, TOID_NULL(struct node));
  }
  TX_END
#endif
}

static void pop(PMEMobjpool *pool, struct list *list) {
  TOID(struct node) first = list->head, second = D_RO(first)->next;
#ifdef BUG_WRONG_ORDER
  PMEMoid freed = first.oid;
  pmemobj_free(&freed);
#endif
  TX_BEGIN(pool) {
    TX_ADD_DIRECT(&list->head);
    TX_ADD_DIRECT(&list->count);
    list->head = second;
    list->count--;
#ifndef BUG_WRONG_ORDER
    TX_FREE(first);
#endif
  }
  TX_END
}

static void work(PMEMobjpool *pool, void *root) {
  push(pool, root, 3);
  acknowledge();
  turn(pool, root);
  acknowledge();
  pop(pool, root);
  acknowledge();
}

static void prepare(PMEMobjpool *pool, void *root) {
  push(pool, root, 1);
  push(pool, root, 2);
}

static void inspect(PMEMobjpool *pool, void *root) {
  const struct list *list = root;
  uint64_t linked = 0, allocated = objects(pool);
  for (TOID(struct node) node = list->head; !TOID_IS_NULL(node); node = D_RO(node)->next, linked++)
    say("%lu", D_RO(node)->value);
  if (linked != list->count) fail(BROKEN, "%lu linked, %lu counted", linked, list->count);
  if (linked != allocated) fail(BROKEN, "%lu linked, %lu allocated", linked, allocated);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"2 1", "3 2 1", "1 3 2", "3 2", NULL};
  static const struct guest guest = {sizeof(struct list), prepare, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
