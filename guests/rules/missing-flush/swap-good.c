/* Compare-and-swaps that find something else: they store nothing, so there is nothing to persist. */
#include "../pm.h"

static int swap(volatile uint64_t *word, uint64_t expected) {
  return __atomic_compare_exchange_n(word, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static int swap_unlocked(volatile uint64_t *word, uint64_t expected) {
  uint64_t found = expected;
  __asm__ volatile("cmpxchgq %2, %0" : "+m"(*word), "+a"(found) : "r"(1l) : "memory", "cc");
  return found == expected;
}

static int swap_pair(volatile uint64_t *pair, uint64_t low, uint64_t high) {
  uint64_t found = low, above = high;
  __asm__ volatile("lock cmpxchg16b %0" : "+m"(*pair), "+a"(found), "+d"(above) : "b"(1l), "c"(1l) : "memory", "cc");
  return found == low && above == high;
}

static int swap_halves(volatile uint64_t *word, uint32_t low, uint32_t high) {
  uint32_t found = low, above = high;
  __asm__ volatile("lock cmpxchg8b %0" : "+m"(*word), "+a"(found), "+d"(above) : "b"(1), "c"(1) : "memory", "cc");
  return found == low && above == high;
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->flag = 7;
  persist(&pool->flag);
  pool->pair.left = 7;
  persist(&pool->pair.left);
  return swap(&pool->flag, 0) | swap_unlocked(&pool->flag, 0) | swap_pair(&pool->pair.left, 0, 0) |
         swap_halves(&pool->flag, 0, 0);
}
