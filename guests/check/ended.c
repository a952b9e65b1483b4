/* Wrong without any crash: `ended POOL` stores a sum that is not the parts', `ended POOL check` says so. */
#include <stdio.h>
#include "pm.h"

struct sum { unsigned long a, b, sum; };

int main(int argc, char **argv) {
  struct sum *pool = pm_map(argv[1]);
  if (argc > 2) {
    if (pool->a + pool->b == pool->sum) return 0;
    fprintf(stderr, "the sum is %lu, not %lu\n", pool->sum, pool->a + pool->b);
    return 1;
  }
  pool->a = 1;
  pool->b = 3;
  pool->sum = 3;
  persist(pool);
  return 0;
}
