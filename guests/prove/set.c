/*
 * A set as a sorted list without durable links, after Zuriel, Friedman, Sheffi, Cohen and Petrank, "Efficient Lock-Free Durable Sets"
 * (2019, the link-free list): recovery looks at all nodes and takes those that are valid and not marked. Clients of it as functions for
 * blackout prove. WITHOUT leaves one flush with its fence out, by number.
 */
#include <immintrin.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef WITHOUT
#define WITHOUT 0
#endif
#define LINE _Alignas(64)
#define PERSIST(number, x) do { if (WITHOUT != (number)) { _mm_clwb((void *)&(x)); _mm_sfence(); } } while (0)
#define THREADS 4
#define NODES 2

/* A node fills one line, so that what is stored first survives first. It is valid when both halves of its validity are the same. */
struct node {
  LINE volatile uint64_t key;
  _Atomic uintptr_t next; /* The lowest bit is the mark of a node that was taken out. */
  _Atomic uint64_t begun, finished;
  _Atomic uint64_t insert_is_flushed, delete_is_flushed;
};

#define FIRST_KEY 0
#define LAST_KEY UINT64_MAX
/* The ends of the list are never taken out. */
struct node last = { .key = LAST_KEY };
struct node first = { .key = FIRST_KEY, .next = (uintptr_t)&last };
/* A node that nobody uses is marked. */
struct node nodes[THREADS][NODES];
struct { LINE volatile uint64_t over; } done[THREADS];

static inline struct node *node_at(uintptr_t link) { return (struct node *)(link & ~(uintptr_t)1); }
static inline int is_marked(uintptr_t link) { return link & 1; }

static inline void make_valid(struct node *node) { if (node->finished != node->begun) atomic_store_explicit(&node->finished, node->begun, memory_order_release); }
static inline void flush_insert(struct node *node) {
  if (node->insert_is_flushed) return;
  PERSIST(1, *node);
  atomic_store_explicit(&node->insert_is_flushed, 1, memory_order_release);
}
static inline void flush_delete(struct node *node) {
  if (node->delete_is_flushed) return;
  PERSIST(2, *node);
  atomic_store_explicit(&node->delete_is_flushed, 1, memory_order_release);
}

static inline int trim(struct node *before, struct node *node) {
  flush_delete(node);
  uintptr_t expected = (uintptr_t)node;
  return atomic_compare_exchange_strong(&before->next, &expected, node->next & ~(uintptr_t)1);
}

/* The first node whose key is not less, and the node before it. */
static inline struct node *find(uint64_t key, struct node **before) {
  *before = &first;
  struct node *at = node_at(first.next);
  for (;;) {
    uintptr_t next = at->next;
    if (!is_marked(next)) {
      if (at->key >= key) return at;
      *before = at;
    } else
      trim(*before, at);
    at = node_at(next);
  }
}

static inline int insert(struct node *fresh, uint64_t key) {
  for (;;) {
    struct node *before, *at = find(key, &before);
    if (at->key == key) {
      make_valid(at);
      flush_insert(at);
      return 0;
    }
    atomic_store_explicit(&fresh->begun, fresh->finished + 1, memory_order_release);
    atomic_store_explicit(&fresh->next, (uintptr_t)at, memory_order_release);
    fresh->key = key;
    uintptr_t expected = (uintptr_t)at;
    if (atomic_compare_exchange_strong(&before->next, &expected, (uintptr_t)fresh)) {
      make_valid(fresh);
      flush_insert(fresh);
      return 1;
    }
  }
}

static inline int take_out(uint64_t key) {
  for (;;) {
    struct node *before, *at = find(key, &before);
    if (at->key != key) return 0;
    uintptr_t next = at->next & ~(uintptr_t)1;
    make_valid(at);
    if (atomic_compare_exchange_strong(&at->next, &next, next | 1)) {
      trim(before, at);
      return 1;
    }
  }
}

static inline int contains(uint64_t key) {
  struct node *at = node_at(first.next);
  while (at->key < key) at = node_at(at->next);
  if (at->key != key) return 0;
  if (is_marked(at->next)) {
    flush_delete(at);
    return 0;
  }
  make_valid(at);
  flush_insert(at);
  return 1;
}

#define KEY(thread) (7 * ((thread) & 1) + 3)
#define W(thread, what) (done[thread].over = 1 + (what))

/* Clients: i puts a key in, r takes one out, c looks whether it is there, w says by a plain store what came of it. */
void i(uint64_t t) { insert(&nodes[t][0], KEY(0)); }
void ii(uint64_t t) { insert(&nodes[t][0], KEY(0)); insert(&nodes[t][1], KEY(1)); }
void ir(uint64_t t) { insert(&nodes[t][0], KEY(0)); take_out(KEY(0)); }
void iw(uint64_t t) { W(t, insert(&nodes[t][0], KEY(0))); }
void irw(uint64_t t) { insert(&nodes[t][0], KEY(0)); W(t, take_out(KEY(0))); }
void r(uint64_t t) { take_out(KEY(0)); }
void rw(uint64_t t) { W(t, take_out(KEY(0))); }
void crw(uint64_t t) { int was = contains(KEY(0)); W(t, was + 2 * take_out(KEY(0))); }

/* Nodes start as nobody's: marked. */
void start(void) {
  for (int thread = 0; thread < THREADS; thread++)
    for (int index = 0; index < NODES; index++) nodes[thread][index].next = 1;
}

/* What recovery takes for a member. */
static inline int is_member(struct node *node, uint64_t key) {
  return node->begun == node->finished && !is_marked(node->next) && node->key == key;
}
static inline int members(uint64_t key) {
  return is_member(&nodes[0][0], key) + is_member(&nodes[1][0], key) + is_member(&nodes[2][0], key) + is_member(&nodes[0][1], key);
}
static inline int is_torn(struct node *node) {
  return node->begun == node->finished && !is_marked(node->next) && node->key != KEY(0) && node->key != KEY(1);
}

/* What must hold after a crash: no node is valid before it has its key; what was said to be over is; no key is there twice. */
int is_broken(void) {
  return members(KEY(0)) > 1 || members(KEY(1)) > 1 || is_torn(&nodes[0][0]) || is_torn(&nodes[0][1]) || is_torn(&nodes[1][0]);
}
/* A node that was taken out since is valid still. */
static inline int was_put_in(struct node *node, uint64_t key) { return node->begun == node->finished && node->key == key; }
int put_in_is_lost(void) {
  int found = was_put_in(&nodes[0][0], KEY(0)) + was_put_in(&nodes[1][0], KEY(0));
  return is_broken() || (done[0].over && !found);
}
int taken_out_is_there(void) { return is_broken() || (done[0].over == 2 && members(KEY(0)) != 0); }
int out_after_in(void) { return is_broken() || (done[1].over == 2 && done[0].over && members(KEY(0)) != 0); }
int seen_and_out(void) { return is_broken() || (done[1].over >= 3 && members(KEY(0)) != 0); }

int main(void) { return 0; }
