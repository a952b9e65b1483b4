/* Each field has its flush. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->pair.left = 1;
  persist(&pool->pair.left);
  pool->pair.right = 2;
  persist(&pool->pair.right);
  return 0;
}
