/*
 * Names in slots, and a map of the slots that are taken. BUG persists the map after the name counts: a name whose slot is
 * free is shown, until the next one is put there. `PROGRAM POOL show` shows, `PROGRAM POOL add N` adds one more.
 */
#include "hidden.h"

#define NAMES 8

struct names {
  alignas(LINE) volatile uint64_t slots[NAMES];
  alignas(LINE) volatile uint64_t taken;
  alignas(LINE) volatile uint64_t order[NAMES];
};

static void add(struct names *names, uint64_t name) {
  int slot = __builtin_ctzl(~names->taken), at = 0;
  while (names->order[at] != 0) at++;
  names->slots[slot] = name;
  persist((void *)&names->slots[slot], sizeof name);
#ifndef BUG
  names->taken |= 1ul << slot;
  persist((void *)&names->taken, sizeof names->taken);
#endif
  names->order[at] = slot + 1;
  persist((void *)&names->order[at], sizeof name);
#ifdef BUG
  names->taken |= 1ul << slot; /* blamed */
  persist((void *)&names->taken, sizeof names->taken);
#endif
}

static void show(const struct names *names) {
  for (int at = 0; at < NAMES && names->order[at] != 0; at++) printf("%lu\n", names->slots[names->order[at] - 1]);
}

int main(int argc, char **argv) {
  struct names *names = pm_map(argv[1]);
  if (argc > 3) add(names, strtoul(argv[3], NULL, 10));
  if (argc > 2) {
    show(names);
    return 0;
  }
  for (int i = 0; i < 4; i++) {
    add(names, i + 1);
    done(i);
  }
  return 0;
}
