/* There is something new to flush. */
#include "../pm.h"

static void save(struct pool *pool) {
  clwb(&pool->data);
  sfence();
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  persist(&pool->data);
  pool->data = 2;
  save(pool);
  return 0;
}
