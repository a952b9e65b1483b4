/* Listing 3.6 with a second function that updates persistent memory: both take one copy of `update`. */
#include "../check/structure.h"

static void update(char *addr, int idx, char val) {
  addr[idx] = val;
}

static void modify(char *addr) {
  update(addr, 5, 'x');
}

static void permute(char *addr) {
  update(addr, 70, 'y');
}

static void foo(char *vol_addr, char *pm_addr) {
  for (int i = 0; i < 100; i++) {
    modify(vol_addr);
    permute(vol_addr);
  }
  modify(pm_addr);
  done(1);
  permute(pm_addr);
  done(2);
}
#include "main.h"
