/* Hippocrates' Listings 3.5 and 3.6: a function updates volatile memory most of the time, and persistent memory once. */
#include "../check/structure.h"

static void update(char *addr, int idx, char val) {
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
