/* The line is flushed once. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->pair.left = 1;
  pool->pair.right = 2;
  clwb(&pool->pair);
  sfence();
  return 0;
}
