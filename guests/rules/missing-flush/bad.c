/* The second store to a line that is persisted elsewhere is forgotten. */
#include "../pm.h"

static void update(struct pool *pool, uint64_t value) {
  pool->data = value; // expect: missing-flush
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  persist(&pool->data);
  update(pool, 2);
  return 0;
}
