/* The flush of one field persists the other as well, as long as they share a line. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->pair.left = 1;
  pool->pair.right = 2;
  clwb(&pool->pair.left); // expect: shared-flush
  sfence();
  return 0;
}
