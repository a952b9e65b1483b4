/* The flush is fenced. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->data = 1;
  clwb(&pool->data);
  sfence();
  return 0;
}
