/* A lock lies in the pool, and recovery waits for it: its being taken, and its release being lost, are one mistake. With RESET it does not. */
#include "told.h"

struct store {
  OWN_LINE volatile int lock;
  OWN_LINE volatile long value;
};

static void take(volatile int *lock) {
  while (__sync_lock_test_and_set(lock, 1)) continue;
}
static void give_back(volatile int *lock) { __sync_lock_release(lock); }

static void put(struct store *store, long value) {
  take(&store->lock);
  store->value = value;
#ifndef UNFLUSHED
  persist(&store->value);
#endif
  give_back(&store->lock);
}

int main(int argc, char **argv) {
  struct store *store = told_pool(argv);
  if (is(argc, argv, "make")) return 0;
  if (is(argc, argv, "check")) {
#ifdef RESET
    store->lock = 0;
#endif
    take(&store->lock);
    return store->value < acknowledged();
  }
  for (long i = 1; i < 4; i++) {
    put(store, i);
    done();
  }
  return 0;
}
