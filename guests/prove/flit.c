/*
 * A register that readers flush only while a writer has it tagged, after Wei, Ben-David, Friedman, Blelloch and Petrank, "FliT: A
 * Library for Simple and Efficient Persistent Algorithms" (2022), and clients of it as functions for blackout prove. WITHOUT leaves one
 * flush or fence out, by number.
 */
#include <immintrin.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef WITHOUT
#define WITHOUT 0
#endif
#define LINE _Alignas(64)
#define STEP(number, what) do { if (WITHOUT != (number)) { what; } } while (0)

typedef struct {
  LINE _Atomic uint64_t value;
  LINE _Atomic uint64_t tag; /* How many writers have stored and not yet flushed. */
} flit;

static inline void write_back(flit *x) { _mm_clwb((void *)&x->value); }

static inline void flit_store(flit *x, uint64_t value) {
  atomic_fetch_add(&x->tag, 1);
  atomic_store_explicit(&x->value, value, memory_order_release);
  STEP(1, write_back(x));
  STEP(2, _mm_sfence());
  atomic_store_explicit(&x->tag, x->tag - 1, memory_order_release);
}

static inline uint64_t flit_add(flit *x, uint64_t more) {
  atomic_fetch_add(&x->tag, 1);
  uint64_t before = atomic_fetch_add(&x->value, more);
  STEP(3, write_back(x));
  STEP(4, _mm_sfence());
  atomic_fetch_sub(&x->tag, 1);
  return before;
}

static inline uint64_t flit_load(flit *x) {
  uint64_t value = atomic_load_explicit(&x->value, memory_order_acquire);
  if (x->tag != 0) STEP(5, write_back(x));
  return value;
}

/* At an operation's end what it has read is durable. */
static inline void flit_end(void) { STEP(6, _mm_sfence()); }

flit x, y;
LINE volatile uint64_t done[32];
#define DONE(thread) (done[8 * (thread)])

/* Clients: w stores, u adds, r loads; a last plain store says that the thread's operations are over. */
void w(uint64_t thread) { flit_store(&x, 1); flit_end(); DONE(thread) = 1; }
void ww(uint64_t thread) { flit_store(&x, 1); flit_store(&y, 1); flit_end(); DONE(thread) = 1; }
void u(uint64_t thread) { flit_add(&x, 1); flit_end(); DONE(thread) = 1; }
void uu(uint64_t thread) { flit_add(&x, 1); flit_add(&x, 1); flit_end(); DONE(thread) = 1; }
void r(uint64_t thread) { uint64_t found = flit_load(&x); flit_end(); DONE(thread) = found; }
void rw(uint64_t thread) { uint64_t found = flit_load(&x); flit_end(); flit_store(&y, found); flit_end(); DONE(thread) = found; }
void rr(uint64_t thread) {
  uint64_t first = flit_load(&x), second = flit_load(&y);
  flit_end();
  DONE(thread) = first + second;
}

/* What must hold after a crash. */
int stored(void) { return DONE(0) && x.value == 0; }
int stored_both(void) { return (DONE(0) && (x.value == 0 || y.value == 0)) || (y.value && !x.value); }
int seen(void) { return DONE(1) && x.value == 0; }
int passed_on(void) { return y.value && x.value == 0; }
int loaded_both(void) { return DONE(1) > x.value + y.value; }
int added(void) { return x.value < DONE(0) + DONE(1) + DONE(2) + DONE(3); }
int added_twice(void) { return x.value < 2 * (DONE(0) + DONE(1) + DONE(2) + DONE(3)); }

int main(void) { return 0; }
