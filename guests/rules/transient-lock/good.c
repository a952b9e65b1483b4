/* The spin lock lies in DRAM. */
#include "../pm.h"

static volatile uint64_t lock;

static void spin(void) {
  while (__sync_lock_test_and_set(&lock, 1)) continue;
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  for (int i = 1; i <= 3; i++) {
    spin();
    pool->words[1] = i;
    persist(&pool->words[1]);
    __sync_lock_release(&lock);
  }
  return 0;
}
