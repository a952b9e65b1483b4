/* One fence is enough. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  persist(&pool->data);
  return 0;
}
