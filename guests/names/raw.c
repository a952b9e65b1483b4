/*
 * Stores to a mapped file through pointers of many kinds. Behind each stands what it must be called: how the source says
 * it, where compilers differ in several ways, then the objects it is part of, as type and field. "…" stands for anything.
 */
#include <stdint.h>
#include <string.h>
#include "../flush.h"

#define OUTLINE __attribute__((noipa))

typedef struct { uint32_t x, y; } point;
struct entry { uint64_t key, value; };
struct node { struct node *next; uint64_t key; char tag[8]; point at; };
union word { uint64_t whole; struct { uint32_t low, high; } half; };
struct store {
  uint64_t count;
  struct node *head;
  struct entry entries[8];
  union word words[2];
  point grid[3][4];
  uint64_t tail[];
};

static struct store *store;
static struct node *free_nodes;

OUTLINE static struct node *take(void) {
  struct node *n = free_nodes;
  free_nodes = n + 1;
  return n;
}

OUTLINE static void push(struct store *s, uint64_t key) {
  struct node *n = take();
  n->key = key;                         // name: n->key; node.key
  n->next = s->head;                    // name: n->next; node.next
  n->at.y = 7;                          // name: n->at.y; node.at.y, point.y
  s->head = n;                          // name: s->head; store.head
  s->count++;                           // name: s->count; store.count
}

OUTLINE static void put(struct entry *e, uint64_t key, uint64_t value) {
  e->key = key;                         // name: e->key; entry.key
  e->value = value;                     // name: e->value; entry.value
}

OUTLINE static void fill(struct store *s, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    s->entries[i].value = i * 3;        // name: s->entries[…].value; store.entries[…].value, entry.value
}

OUTLINE static void walk(struct store *s, uint64_t by) {
  for (struct node *n = s->head; n; n = n->next)
    n->key += by;                       // name: n->key; node.key
}

OUTLINE static void third(struct store *s, uint64_t value) {
  s->entries[3].key = value;            // name: s->entries[3].key; store.entries[3].key, entry [8].[3].key, entry.key
  s->words[1].half.high = 5;            // name: s->words[1].half.high; store.words[1].half.high, word.half.high
  s->grid[2][1].x = 9;                  // name: s->grid[2][1].x; store.grid[2][1].x, point.x
  s->tail[2] = 1;                       // name: s->tail[2]; store.tail[2]
}

/* Says nothing of what it stores to: the caller does. */
OUTLINE static void set_word(void *where, uint64_t value) { memcpy(where, &value, sizeof value); } // name: s->head->next; node.next
OUTLINE static void set_bytes(char *where, char c, int n) {
  for (int i = 0; i < n; i++) {
    where[i] = c;                       // name: s->head->tag[…]; node.tag[…]
    __asm__ volatile("");
  }
}
OUTLINE static void callers(struct store *s) {
  set_word(&s->head->next, 0);
  set_bytes(s->head->tag, 'x', 3);
  __asm__ volatile("");                 /* no tail call */
}

/* A field by its address: the field is what counts. */
static inline void bump(uint64_t *counter) { *counter += 2; } // name: s->count; store.count
OUTLINE static void inlined(struct store *s) {
  bump(&s->count);
  struct entry *last = &s->entries[7];
  last->value = 8;                      // name: last->value or s->entries[7].value; store.entries[7].value, entry.value
}

/* Two ways to a store: what both agree on is sure. */
OUTLINE static void either(struct store *s, int which) {
  struct entry *e = which ? &s->entries[1] : &s->entries[6];
  e->key = 5;                           // name: e->key or s->entries[…].key; entry.key
}

/* A struct as wide as a vector register, and one as wide as two. */
OUTLINE static void copies(struct store *s, const struct entry *from) {
  s->entries[5] = *from;                // name: s->entries[5].…; store.entries[5].…, entry.…
  s->entries[0] = s->entries[5];        // name: s->entries[0].…; store.entries[0].…, entry.…
}

OUTLINE static void global(void) {
  store->count = 0;                     // name: store->count; store.count
  store->head->key = 1;                 // name: store->head->key; node.key
}

int main(int argc, char **argv) {
  store = map_pool(argc > 1 ? argv[1] : "/tmp/pool", 16384);
  free_nodes = (struct node *)((char *)store + 8192);
  push(store, 11);
  push(store, 12);
  put(&store->entries[argc], 1, 2);
  fill(store, 5);
  walk(store, 100);
  third(store, 33);
  callers(store);
  inlined(store);
  either(store, argc);
  either(store, argc - 1);
  copies(store, &(struct entry){ 21, 22 });
  global();
  return 0;
}
