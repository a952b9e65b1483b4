/* The final count is stored once. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  uint64_t count = 0;
  for (int i = 1; i < 9; i++)
    count = i;
  pool->data = count;
  persist(&pool->data);
  return 0;
}
