/* A transaction adds one field and stores to two. */
#include "../pm.h"
#include "../tx.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  tx_begin();
  tx_add(&pool->pair.left, sizeof pool->pair.left);
  pool->pair.left = 1;
  pool->pair.right = 2; // expect: unadded-store
  persist(&pool->pair);
  tx_end();
  return 0;
}
