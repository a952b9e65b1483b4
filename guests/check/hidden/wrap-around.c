/* A log of the last records in a ring. BUG overwrites the oldest record before the log has let go of it. */
#include "hidden.h"

#define SLOTS 6

struct record { alignas(LINE) volatile uint64_t number; volatile uint64_t check; };
struct ring { alignas(LINE) volatile uint64_t first; volatile uint64_t next; struct record slots[SLOTS]; };

static void append(struct ring *ring, uint64_t number) {
  uint64_t first = number < SLOTS ? 0 : number - SLOTS + 1;
  struct record *slot = &ring->slots[number % SLOTS];
#ifndef BUG
  ring->first = first;
  persist((void *)ring, 16);
#endif
  slot->number = number;
  slot->check = ~number;
  persist((void *)slot, sizeof *slot);
  ring->first = first; /* blamed */
  ring->next = number + 1;
  persist((void *)ring, 16);
}

int main(int argc, char **argv) {
  struct ring *ring = pm_map(argv[1]);
  if (is_check(argc, argv)) {
    for (uint64_t i = ring->first; i < ring->next; i++)
      if (ring->slots[i % SLOTS].number != i || ring->slots[i % SLOTS].check != ~i) fail(BROKEN, "record %lu is damaged", i);
    return 0;
  }
  for (uint64_t i = 0; i < 9; i++) append(ring, i);
  close_pool(ring);
  return 0;
}
