/* Listing 2.2's pointer with the fix where the store is (Listing 3.1): a flush and a fence right after it. */
#include "../rules/pm.h"

struct handle { _Alignas(64) volatile uint64_t offset; };

static void allocate(struct handle *handle, uint64_t offset) {
  handle->offset = offset;
  persist(&handle->offset);
}

static void release(struct handle *handle, int also_free) {
  if (also_free) handle->offset = 0; // expect: missing-flush (error) in release
}

static void release_mended(struct handle *handle, int also_free) {
  if (also_free) {
    handle->offset = 0;
    clwb(&handle->offset);
    sfence();
  }
}

int main(void) {
  struct handle *handles = pm_map("/tmp/pool");
  allocate(&handles[0], 4096);
  allocate(&handles[1], 8192);
  release(&handles[0], 1);
  release_mended(&handles[1], 1);
  return 0;
}
