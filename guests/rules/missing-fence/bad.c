/* A flush at the end that nothing completes. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  clwb(&pool->data); // expect: missing-fence
  return 0;
}
