/* The scratch table lies on the stack. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  uint64_t words[64];
  for (int i = 0; i < 64; i++)
    words[i] = i;
  pool->data = words[3];
  persist(&pool->data);
  return 0;
}
