/* Only persistent memory is flushed. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  volatile uint64_t local = 1;
  pool->data = local;
  clwb(&pool->data);
  sfence();
  return 0;
}
