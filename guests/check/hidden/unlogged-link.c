/*
 * A queue of nodes on libpmemobj, linked from the first to the last. BUG adds a field of the last node to the transaction,
 * and not the link.
 */
#include "../obj/obj.h"

struct node { uint64_t value, followed; PMEMoid next; };
struct queue { PMEMoid first, last; uint64_t count; };

static struct node *node_of(PMEMoid oid) { return pmemobj_direct(oid); }

static void link_to(struct queue *queue, PMEMoid node) {
  if (OID_IS_NULL(queue->last)) {
    queue->first = node;
    return;
  }
  struct node *last = node_of(queue->last);
  TX_ADD_DIRECT(&last->followed);
  last->followed = 1;
#ifndef BUG
  TX_ADD_DIRECT(&last->next);
#endif
  last->next = node; /* blamed */
}

static void enqueue(PMEMobjpool *pool, struct queue *queue, uint64_t value) {
  TX_BEGIN(pool) {
    TX_ADD_DIRECT(queue);
    PMEMoid node = pmemobj_tx_zalloc(sizeof(struct node), 1);
    node_of(node)->value = value;
    link_to(queue, node);
    queue->last = node;
    queue->count++;
  }
  TX_END
  acknowledge();
}

static void work(PMEMobjpool *pool, void *root) {
  for (uint64_t value = 1; value <= 4; value++) enqueue(pool, root, value);
}

static void inspect(PMEMobjpool *pool, void *root) {
  const struct queue *queue = root;
  uint64_t linked = 0;
  for (PMEMoid at = queue->first; !OID_IS_NULL(at); at = node_of(at)->next) linked++;
  if (linked != queue->count) fail(BROKEN, "%lu linked, %lu counted", linked, queue->count);
  if (linked != objects(pool)) fail(BROKEN, "%lu linked, %lu allocated", linked, objects(pool));
  say("%lu", linked);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"0", "1", "2", "3", "4", NULL};
  static const struct guest guest = {sizeof(struct queue), NULL, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
