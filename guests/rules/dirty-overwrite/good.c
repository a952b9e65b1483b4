/* Each value is persisted before what depends on it. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  persist(&pool->data);
  pool->data = 2;
  persist(&pool->data);
  pool->flag = 1;
  persist(&pool->flag);
  pool->data = 3;
  persist(&pool->data);
  return 0;
}
