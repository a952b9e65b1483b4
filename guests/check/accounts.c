/*
 * Two accounts and transfers between them, on raw flushes; no checking code at all. `accounts run POOL` makes transfers and
 * prints a line for each that is done; `accounts dump POOL` prints what the accounts hold. The accounts lie in two slots;
 * a transfer fills the other slot and then names it. BUG picks a seeded mistake.
 */
#include "pm.h"

#define TRANSFERS 3

struct slot { _Alignas(64) volatile uint64_t from; _Alignas(64) volatile uint64_t to; };
struct accounts { _Alignas(64) volatile uint64_t current; struct slot slots[2]; };

static void transfer(struct accounts *accounts) {
  struct slot *now = &accounts->slots[accounts->current & 1];
#ifdef BUG_HALF_DONE
  now->from -= 1;
  persist(&now->from);
  now->to += 1;
  persist(&now->to);
#else
  struct slot *next = &accounts->slots[(accounts->current + 1) & 1];
  next->from = now->from - 1;
  next->to = now->to + 1;
  clwb(&next->from);
  clwb(&next->to);
  sfence();
  accounts->current += 1;
#ifndef BUG_LOST_UPDATE
  persist(&accounts->current);
#endif
#endif
}

int main(int argc, char **argv) {
  struct accounts *accounts = pm_map(argv[argc - 1]);
  if (strcmp(argv[1], "dump") == 0) {
    struct slot *now = &accounts->slots[accounts->current & 1];
    printf("%ld %ld\n", (long)now->from, (long)now->to);
    return 0;
  }
  for (int i = 0; i < TRANSFERS; i++) {
    transfer(accounts);
    printf("transfer %d\n", i);
    fflush(stdout);
  }
  return 0;
}
