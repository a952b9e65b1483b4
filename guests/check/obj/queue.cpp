/*
 * A queue of allocated nodes: links and head change in transactions, the tail is a hint that recovery finds again. BUG
 * picks a seeded mistake.
 */
#include "obj.h"

struct node;
TOID_DECLARE(struct node, 1);
using Node = TOID(struct node);

struct node { uint64_t value; Node next; };
struct queue {
  alignas(64) Node head;
  alignas(64) Node tail;
};

static void enqueue(PMEMobjpool *pool, queue *queue, uint64_t value) {
  Node added, last = queue->tail;
  TX_BEGIN(pool) {
    added = TX_ZNEW(struct node);
    D_RW(added)->value = value;
    if (TOID_IS_NULL(last)) {
      TX_ADD_DIRECT(&queue->head);
      queue->head = added;
    } else {
#ifndef BUG_MISSING_ADD
      TX_ADD_FIELD(last, next);
#endif
      D_RW(last)->next = added;
    }
#ifdef BUG_LOST_ACK
    acknowledge();
#endif
  }
  TX_END
  queue->tail = added;
  pmemobj_persist(pool, &queue->tail, sizeof queue->tail);
#ifndef BUG_LOST_ACK
  acknowledge();
#endif
}

static void dequeue(PMEMobjpool *pool, queue *queue) {
  Node first = queue->head, second = D_RO(first)->next;
#ifdef BUG_NON_ATOMIC
  queue->head = second;
  pmemobj_persist(pool, &queue->head, sizeof queue->head);
#endif
  TX_BEGIN(pool) {
#ifndef BUG_NON_ATOMIC
    TX_ADD_DIRECT(&queue->head);
    queue->head = second;
#endif
    TX_FREE(first);
  }
  TX_END
  acknowledge();
}

static void work(PMEMobjpool *pool, void *root) {
  auto queue = static_cast<struct queue *>(root);
  enqueue(pool, queue, 1);
  enqueue(pool, queue, 2);
  dequeue(pool, queue);
}

/* A crash may have come between a node's link and the tail. */
static void find_tail(PMEMobjpool *pool, queue *queue) {
#ifdef BUG_RECOVERY
  Node last = queue->tail;
  if (TOID_IS_NULL(queue->head)) return;
#else
  Node last = queue->head;
  if (TOID_IS_NULL(last)) return;
#endif
  while (!TOID_IS_NULL(D_RO(last)->next)) last = D_RO(last)->next;
  queue->tail = last;
  pmemobj_persist(pool, &queue->tail, sizeof queue->tail);
}

static void inspect(PMEMobjpool *pool, void *root) {
  auto queue = static_cast<struct queue *>(root);
  find_tail(pool, queue);
  uint64_t linked = 0, allocated = objects(pool);
  for (Node node = queue->head; !TOID_IS_NULL(node); node = D_RO(node)->next, linked++) say("%lu", D_RO(node)->value);
  if (linked != allocated) fail(BROKEN, "%lu linked, %lu allocated", linked, allocated);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"", "1", "1 2", "2", nullptr};
  static const guest guest = {sizeof(queue), nullptr, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
