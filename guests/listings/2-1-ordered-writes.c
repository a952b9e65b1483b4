/*
 * Two integers in persistent memory, written in order (Listing 2.1): between the writes and after the second one there is
 * a flush and a fence. Beside it stands what happens when either of them is forgotten.
 */
#include "../rules/pm.h"

static struct pool *pool;

static void in_order(volatile uint64_t *x, volatile uint64_t *y) {
  *x = 1;
  clwb(x);
  sfence();
  *y = 1;
  clwb(y);
  sfence();
}

static void without_the_first_fence(volatile uint64_t *x, volatile uint64_t *y) {
  *x = 2;
  clwb(x);
  *y = 2;
  clwb(y);
  sfence(); // expect: shared-fence (warning) in without_the_first_fence
}

static void without_the_second_flush(volatile uint64_t *x, volatile uint64_t *y) {
  *x = 3;
  clwb(x);
  sfence();
  *y = 3; // expect: missing-flush (error) in without_the_second_flush
}

int main(void) {
  pool = pm_map("/tmp/pool");
  in_order(&pool->data, &pool->flag);
  without_the_first_fence(&pool->data, &pool->flag);
  without_the_second_flush(&pool->data, &pool->flag);
  return 0;
}
