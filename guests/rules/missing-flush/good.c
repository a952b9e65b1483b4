/* Both stores are persisted. */
#include "../pm.h"

static void update(struct pool *pool, uint64_t value) {
  pool->data = value;
  persist(&pool->data);
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  persist(&pool->data);
  update(pool, 2);
  return 0;
}
