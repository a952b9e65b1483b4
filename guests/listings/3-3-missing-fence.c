/* A flush without a fence, and the fence put in (Listing 3.3). */
#include "../rules/pm.h"

static void write_first(volatile char *bytes) {
  bytes[0] = 'a';
  clwb(bytes); // expect: missing-fence (error) in write_first
}

static void write_first_mended(volatile char *bytes) {
  bytes[0] = 'a';
  clwb(bytes);
  sfence();
}

int main(void) {
  volatile char *pool = pm_map("/tmp/pool");
  write_first_mended(pool);
  write_first(pool + 64);
  return 0;
}
