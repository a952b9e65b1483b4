/* A scratch table lies in persistent memory. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  for (int i = 0; i < 64; i++)
    pool->words[i] = i; // expect: transient-data
  pool->data = pool->words[3];
  persist(&pool->data);
  return 0;
}
