/* An object of transactions is changed in two stores outside any. */
#include "../pm.h"
#include "../tx.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  tx_begin();
  tx_add(&pool->pair, sizeof pool->pair);
  pool->pair.left = 1;
  persist(&pool->pair);
  tx_end();
  pool->pair.left = 2; // expect: loose-store
  pool->pair.right = 2;
  persist(&pool->pair);
  return 0;
}
