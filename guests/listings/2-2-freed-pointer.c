/*
 * A pointer in persistent memory is cleared when its object is freed, and the change is neither flushed nor fenced
 * (Listing 2.2): after a crash it may point to what is no longer there. Listing 3.1 is the mended program. An application
 * that keeps volatile data in persistent memory shows the same pattern, and there it costs time only (section 2.3.1).
 */
#include "../rules/pm.h"

struct handle { _Alignas(64) volatile uint64_t offset; };

static void allocate(struct handle *handle, uint64_t offset) {
  handle->offset = offset;
  persist(&handle->offset);
}

static void release(struct handle *handle, int also_free) {
  if (also_free) handle->offset = 0; // expect: missing-flush (error) in release
}

static void count_visits(volatile uint64_t *scratch) {
  *scratch = 7; // expect: transient-data (warning) in count_visits
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  struct handle *handles = (struct handle *)pool->words;
  allocate(&handles[0], 4096);
  allocate(&handles[1], 8192);
  release(&handles[0], 0);
  release(&handles[1], 1);
  count_visits(&pool->data);
  return 0;
}
