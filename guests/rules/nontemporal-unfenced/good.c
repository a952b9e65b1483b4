/* A fence completes the streaming store. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  _mm_stream_si64((long long *)&pool->data, 7);
  sfence();
  return 0;
}
