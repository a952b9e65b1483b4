/* A counter is counted in persistent memory. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  for (int i = 1; i < 9; i++)
    pool->data = i; // expect: repeated-store
  persist(&pool->data);
  return 0;
}
