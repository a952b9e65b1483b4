/* Two fields of one line are flushed one by one. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pool->pair.left = 1;
  pool->pair.right = 2;
  clwb(&pool->pair.left);
  clwb(&pool->pair.right); // expect: flush-twice
  sfence();
  return 0;
}
