/*
 * A persistent linked list with a count beside its head; nodes are named by offsets. A run walks what is there, mends
 * the count, pushes nodes and then takes out every second one. BUG picks a seeded mistake.
 */
#include "structure.h"

#define NODES 5
#define REMOVED 2
#define MAGIC 0x6e6f6465

struct node { alignas(LINE) uint64_t magic; uint64_t value, next; };
struct list {
  alignas(LINE) uint64_t head;
  alignas(LINE) uint64_t count;
  struct node nodes[NODES];
};

static struct node *at(struct list *list, uint64_t offset) { return (struct node *)((char *)list + offset); }

static uint64_t walk(struct list *list) {
  uint64_t length = 0;
  for (uint64_t offset = list->head; offset != 0; offset = at(list, offset)->next) {
    if (at(list, offset)->magic != MAGIC) abort();
    length++;
#ifndef BUG_HANG
    if (length > NODES) fail(BROKEN, "the list has no end");
#endif
  }
  return length;
}

static void recover(void *pool) {
  struct list *list = pool;
  uint64_t length = walk(list);
#ifdef BUG_RECOVERY
  if (list->count != length) { int *volatile nowhere = (int *)16; *nowhere = 1; }
#endif
  list->count = length;
  persist(&list->count, sizeof list->count);
}

static void push(struct list *list, int i) {
  struct node *node = &list->nodes[i];
  uint64_t offset = (uint64_t)((char *)node - (char *)list);
#ifdef BUG_WRONG_ORDER
  list->head = offset;
  persist(&list->head, sizeof list->head);
#endif
  node->magic = MAGIC;
  node->value = i;
#ifdef BUG_HANG
  uint64_t next = list->head;
  node->next = offset;
#elif defined BUG_WRONG_ORDER
  node->next = i == 0 ? 0 : offset - sizeof *node;
#else
  node->next = list->head;
#endif
#ifndef BUG_MISSING_FLUSH
  flush(node, sizeof *node);
#endif
#ifndef BUG_MISSING_FENCE
  fence();
#endif
#ifndef BUG_WRONG_ORDER
  list->head = offset;
#endif
#ifndef BUG_LOST_ACK
  persist(&list->head, sizeof list->head);
#endif
#ifdef BUG_HANG
  node->next = next;
  persist(node, sizeof *node);
#endif
  list->count++;
  persist(&list->count, sizeof list->count);
}

/* The node of the value is unlinked by one store. */
static void take_out(struct list *list, uint64_t value) {
  uint64_t *link = &list->head;
  while (at(list, *link)->value != value) link = &at(list, *link)->next;
  struct node *node = at(list, *link);
#ifdef BUG_NON_ATOMIC
  /* Cuts the list, then joins the rest to it again. */
  uint64_t rest = node->next;
  *link = 0;
  persist(link, sizeof *link);
  *link = rest;
#else
  *link = node->next;
#endif
  persist(link, sizeof *link);
  list->count--;
  persist(&list->count, sizeof list->count);
}

static void operate(void *pool, int operation) {
  if (operation < NODES) push(pool, operation);
  else take_out(pool, 2 * (operation - NODES) + 1);
}

static bool holds(void *pool, int operations) {
  struct list *list = pool;
  uint64_t offset = list->head;
  for (int value = NODES - 1; value >= 0; value--) {
    bool there = value < operations && !(value % 2 == 1 && value / 2 < operations - NODES);
    if (!there) continue;
    if (offset == 0 || at(list, offset)->value != (uint64_t)value) return false;
    offset = at(list, offset)->next;
  }
  return offset == 0;
}

static void show(void *pool) {
  struct list *list = pool;
  for (uint64_t offset = list->head; offset != 0; offset = at(list, offset)->next)
    printf("%d\n", (int)at(list, offset)->value);
}

int main(int argc, char **argv) {
  const struct guest guest = {NODES + REMOVED, recover, operate, holds, show};
  return drive(&guest, argc, argv);
}
