/*
 * A lock-free queue that survives crashes, after Friedman, Herlihy, Marathe and Petrank, "A Persistent Lock-Free Queue for Non-Volatile
 * Memory" (2018): a list with a sentinel; who takes a node out puts its number into it. Clients of it as functions for blackout prove.
 * WITHOUT leaves one flush with its fence out, by number.
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
#define THREADS 5
#define NODES 3

struct node {
  LINE volatile uint64_t value;
  struct node *_Atomic next;
  _Atomic uint64_t taker; /* 0: nobody; else the thread's number plus 1. */
};
/* What a thread has taken out: 0 while it is not known, EMPTY if there was nothing. */
#define EMPTY UINT64_MAX
struct result { LINE volatile uint64_t value; };

struct node sentinel;
LINE struct node *_Atomic head = &sentinel;
LINE struct node *_Atomic tail = &sentinel;
struct node nodes[THREADS][NODES];
struct result results[THREADS][NODES];
struct { LINE struct result *volatile now; } returned[THREADS];
struct { LINE volatile uint64_t over; } done[THREADS];

static inline void enqueue(struct node *node, uint64_t value) {
  node->value = value;
  PERSIST(1, node->value);
  for (;;) {
    struct node *last = tail;
    struct node *next = last->next;
    if (last != tail) continue;
    if (next != NULL) {
      PERSIST(2, last->next);
      atomic_compare_exchange_strong(&tail, &last, next);
    } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
      PERSIST(3, last->next);
      atomic_compare_exchange_strong(&tail, &last, node);
      return;
    }
  }
}

static inline void dequeue(uint64_t thread, struct result *result) {
  returned[thread].now = result;
  PERSIST(4, returned[thread].now);
  for (;;) {
    struct node *first = head;
    struct node *last = tail;
    struct node *next = first->next;
    if (first != head) continue;
    if (first == last) {
      if (next == NULL) {
        result->value = EMPTY;
        PERSIST(5, result->value);
        return;
      }
      PERSIST(6, last->next);
      atomic_compare_exchange_strong(&tail, &last, next);
      continue;
    }
    uint64_t value = next->value, nobody = 0;
    if (atomic_compare_exchange_strong(&next->taker, &nobody, thread + 1)) {
      PERSIST(7, next->taker);
      result->value = value;
      PERSIST(8, result->value);
      atomic_compare_exchange_strong(&head, &first, next);
      return;
    }
    struct result *other = returned[nobody - 1].now;
    if (head != first) continue;
    PERSIST(9, next->taker);
    other->value = value;
    PERSIST(10, other->value);
    atomic_compare_exchange_strong(&head, &first, next);
  }
}

#define VALUE(thread, index) (8 * (thread) + (index) + 1)
#define E(thread, index) enqueue(&nodes[thread][index], VALUE(thread, index))
#define D(thread, index) dequeue(thread, &results[thread][index])
#define W(thread) (done[thread].over = 1)

/* Clients: e puts in, d takes out, w says by a plain store that all before is over. */
void e(uint64_t t) { E(t, 0); }
void ee(uint64_t t) { E(t, 0); E(t, 1); }
void eee(uint64_t t) { E(t, 0); E(t, 1); E(t, 2); }
void d(uint64_t t) { D(t, 0); }
void dd(uint64_t t) { D(t, 0); D(t, 1); }
void de(uint64_t t) { D(t, 0); E(t, 0); }
void dw(uint64_t t) { D(t, 0); W(t); }
void ddw(uint64_t t) { D(t, 0); D(t, 1); W(t); }
void ew(uint64_t t) { E(t, 0); W(t); }

/*
 * What must hold after a crash: the list is whole, what was taken out is what came first, what a thread was given is marked as taken by
 * that thread, and who said that all is over was given something. Loops are written out: they are no loops of the threads.
 */
static inline int is_known(struct node *node, uint64_t value, uint64_t thread) {
  return node->value == value && node->taker == thread + 1;
}

#define STEP(body) do { if (at != NULL) { body; at = at->next; } } while (0)
#define ALL(body) do { STEP(body); STEP(body); STEP(body); STEP(body); STEP(body); STEP(body); } while (0)

static inline int given_wrongly(uint64_t thread) {
  struct result *result = returned[thread].now;
  if (result == NULL) return done[thread].over != 0;
  uint64_t value = result->value;
  if (value == 0) return done[thread].over != 0;
  if (value == EMPTY) return 0;
  int found = 0;
  struct node *at = sentinel.next;
  ALL(found |= is_known(at, value, thread));
  return !found;
}

int list_is_broken(void) {
  int open = 0, broken = 0;
  struct node *at = sentinel.next;
  ALL(broken |= at->value == 0; if (at->taker == 0) open = 1; else broken |= open);
  return broken;
}
int one_taker(void) { return list_is_broken() || given_wrongly(0); }
int second_takes(void) { return list_is_broken() || given_wrongly(1); }
int two_take(void) { return list_is_broken() || given_wrongly(1) || given_wrongly(2); }
int three_take(void) { return list_is_broken() || given_wrongly(1) || given_wrongly(2) || given_wrongly(3); }
int put_in_is_lost(void) {
  int found = 0;
  struct node *at = sentinel.next;
  ALL(found |= at->value == VALUE(0, 0));
  return done[0].over && !found;
}

int main(void) { return 0; }
