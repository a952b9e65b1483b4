/* A second fence after persist. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  persist(&pool->data);
  sfence(); // expect: redundant-fence
  return 0;
}
