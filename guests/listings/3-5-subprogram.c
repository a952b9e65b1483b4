/*
 * One function updates volatile memory most of the time and persistent memory once (Listing 3.5). The missing flush is
 * blamed at its store, with the calls that led there; the calls on volatile memory are not. The twin is a copy of the
 * functions for persistent memory, which flushes each store, and a single fence where the copy was called.
 */
#include "../rules/pm.h"

static void update(volatile char *bytes, int at, char value) {
  bytes[at] = value; // expect: missing-flush (error) in update < modify < caller
}

static void modify(volatile char *bytes) { update(bytes, 5, 'x'); }

static void update_persistent(volatile char *bytes, int at, char value) {
  bytes[at] = value;
  clwb(&bytes[at]);
}

static void modify_persistent(volatile char *bytes) { update_persistent(bytes, 5, 'x'); }

static void caller(volatile char *scratch, volatile char *persistent) {
  for (int i = 0; i < 1000; i++) modify(scratch);
  modify(persistent);
}

static void caller_mended(volatile char *scratch, volatile char *persistent) {
  for (int i = 0; i < 1000; i++) modify(scratch);
  modify_persistent(persistent);
  sfence();
}

int main(void) {
  static volatile char scratch[64];
  volatile char *pool = pm_map("/tmp/pool");
  pool[64] = 'a';
  persist(pool + 64);
  caller_mended(scratch, pool);
  caller(scratch, pool + 64);
  return 0;
}
