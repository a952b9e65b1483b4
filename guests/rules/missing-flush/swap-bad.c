/* A lock word is taken and never persisted. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->flag = 0;
  persist(&pool->flag);
  uint64_t expected = 0;
  __atomic_compare_exchange_n(&pool->flag, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); // expect: missing-flush
  return expected != 0;
}
