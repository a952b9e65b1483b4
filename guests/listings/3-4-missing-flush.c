/*
 * A fence without the flush that it was to complete, and the flush put in (Listing 3.4). The fence has nothing to do as
 * long as the flush is missing, so it is told as well.
 */
#include "../rules/pm.h"

static void write_first(volatile char *bytes) {
  bytes[0] = 'b'; // expect: missing-flush (error) in write_first
  sfence(); // expect: redundant-fence (performance) in write_first
}

static void write_first_mended(volatile char *bytes) {
  bytes[0] = 'a';
  clwb(bytes);
  sfence();
}

int main(void) {
  volatile char *pool = pm_map("/tmp/pool");
  write_first_mended(pool);
  write_first_mended(pool + 64);
  write_first(pool + 64);
  return 0;
}
