/* The data is fenced before the flag is stored. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  persist(&pool->data);
  pool->flag = 1;
  persist(&pool->flag);
  return 0;
}
