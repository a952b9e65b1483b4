/* The flag is persisted while the data before it is not, and then the data is replaced. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  persist(&pool->data);
  pool->data = 2; // expect: dirty-overwrite
  pool->flag = 1;
  persist(&pool->flag);
  pool->data = 3;
  persist(&pool->data);
  return 0;
}
