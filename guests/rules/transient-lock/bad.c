/* A spin lock lies in persistent memory, on a line that is flushed for its data. */
#include "../pm.h"

static void spin(volatile uint64_t *lock) {
  while (__sync_lock_test_and_set(lock, 1)) continue;
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  for (int i = 1; i <= 3; i++) {
    spin(&pool->words[0]);
    pool->words[1] = i;
    persist(&pool->words[1]);
    __sync_lock_release(&pool->words[0]); // expect: transient-lock
  }
  return 0;
}
