/* An object is added, and then a field of it. */
#include "../pm.h"
#include "../tx.h"

static void add_left(struct pool *pool) {
  tx_add(&pool->pair.left, sizeof pool->pair.left); // expect: repeated-add
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  tx_begin();
  tx_add(&pool->pair, sizeof pool->pair);
  add_left(pool);
  pool->pair.left = 1;
  persist(&pool->pair);
  tx_end();
  return 0;
}
