/* Listing 3.6 with a count of updates that outlives the calls: a copy would have a count of its own, so that there is none. */
#include "../check/structure.h"

static void update(char *addr, int idx, char val) {
  static int updates;
  if (++updates > 1000) abort();
  addr[idx] = val;
}

static void modify(char *addr) {
  update(addr, 5, 'x');
}

static void foo(char *vol_addr, char *pm_addr) {
  for (int i = 0; i < 100; i++) {
    modify(vol_addr);
  }
  modify(pm_addr);
  done(1);
}
#include "main.h"
