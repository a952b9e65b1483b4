/* The change is a transaction of its own. */
#include "../pm.h"
#include "../tx.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  tx_begin();
  tx_add(&pool->pair, sizeof pool->pair);
  pool->pair.left = 1;
  persist(&pool->pair);
  tx_end();
  tx_begin();
  tx_add(&pool->pair, sizeof pool->pair);
  pool->pair.left = 2;
  pool->pair.right = 2;
  persist(&pool->pair);
  tx_end();
  return 0;
}
