/* A streaming store is flushed. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  _mm_stream_si64((long long *)&pool->data, 7);
  clwb(&pool->data); // expect: flush-nontemporal
  sfence();
  return 0;
}
