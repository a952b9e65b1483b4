/* A streaming store is taken for persisted without a fence. */
#include "../pm.h"

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  _mm_stream_si64((long long *)&pool->data, 7); // expect: nontemporal-unfenced
  return 0;
}
