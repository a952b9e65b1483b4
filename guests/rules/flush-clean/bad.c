/* What was persisted is flushed again. */
#include "../pm.h"

static void save(struct pool *pool) {
  clwb(&pool->data); // expect: flush-clean
  sfence();
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  persist(&pool->data);
  save(pool);
  return 0;
}
