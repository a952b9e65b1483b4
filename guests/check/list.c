/*
 * A persistent linked list with a count beside its head, on raw flushes; nodes are named by offsets. A run walks what is
 * there, mends the count, and pushes until the list is full. A line is printed for each push that is done, and a run
 * with BLACKOUT_ACKED demands that as many nodes are there. BUG picks a seeded mistake.
 */
#include "pm.h"

#define NODES 5
#define MAGIC 0x6e6f6465

struct node { _Alignas(64) volatile uint64_t magic; volatile uint64_t value, next; };
struct list {
  _Alignas(64) volatile uint64_t head;
  _Alignas(64) volatile uint64_t count;
  struct node nodes[NODES];
};

static struct node *at(struct list *list, uint64_t offset) { return (struct node *)((char *)list + offset); }

static uint64_t walk(struct list *list) {
  uint64_t length = 0;
  for (uint64_t offset = list->head; offset != 0; offset = at(list, offset)->next) {
    if (at(list, offset)->magic != MAGIC) abort();
#ifndef BUG_HANG
    if (++length > NODES) exit(4);
#else
    length++;
#endif
  }
  return length;
}

static void recover(struct list *list) {
  uint64_t length = walk(list);
#ifdef BUG_RECOVERY
  if (list->count != length) { int *nowhere = (int *)16; *nowhere = 1; }
#endif
  list->count = length;
  persist(&list->count);
}

static void push(struct list *list) {
  uint64_t i = list->count;
  struct node *node = &list->nodes[i];
  node->magic = MAGIC;
  node->value = i;
  uint64_t offset = (uint64_t)((char *)node - (char *)list);
#ifdef BUG_HANG
  uint64_t next = list->head;
  node->next = offset;
#else
  node->next = list->head;
#endif
#ifndef BUG_MISSING_FLUSH
  persist(node);
#endif
  list->head = offset;
#ifndef BUG_LOST_ACK
  persist(&list->head);
#endif
#ifdef BUG_HANG
  node->next = next;
  persist(node);
#endif
  list->count = i + 1;
  persist(&list->count);
}

static void demand(struct list *list) {
  const char *path = getenv("BLACKOUT_ACKED");
  FILE *acked = path ? fopen(path, "r") : NULL;
  if (!acked) return;
  uint64_t lines = 0;
  for (int c; (c = fgetc(acked)) != EOF;) lines += c == '\n';
  fclose(acked);
  if (list->count < lines) { fprintf(stderr, "%lu acknowledged, %lu there\n", (unsigned long)lines, (unsigned long)list->count); exit(5); }
}

int main(int argc, char **argv) {
  struct list *list = pm_map(argv[argc - 1]);
  recover(list);
  demand(list);
  while (list->count < NODES) {
    push(list);
    printf("pushed\n");
    fflush(stdout);
  }
  return 0;
}
