/* The flag may persist before the data it speaks of. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  pool->flag = 1;
  clwb(&pool->data);
  clwb(&pool->flag);
  sfence(); // expect: shared-fence
  return 0;
}
