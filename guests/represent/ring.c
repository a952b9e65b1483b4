/*
 * A ring of records in persistent memory, each of four words with a number and a sum; the newest number counts once its record
 * is persisted. `PROGRAM POOL RECORDS` appends, five stores each, so that two million of them are ten million stores;
 * `PROGRAM POOL` recovers: it looks at every record that the newest number says is there. BUG_EARLY counts a record
 * before it is persisted, once in a round of the ring.
 */
#define POOL_BYTES (1ul << 20)
#include "../check/pm.h"

#ifndef SLOTS
#define SLOTS 16ul
#endif

struct record { _Alignas(64) volatile uint64_t number; volatile uint64_t key, value, sum; };
struct ring {
  _Alignas(64) volatile uint64_t newest;
  struct record records[SLOTS];
};

static uint64_t sum_of(uint64_t number, uint64_t key, uint64_t value) { return number * 31 + key * 7 + value + 1; }

static void fill(struct record *record, uint64_t number) {
  record->number = number;
  record->key = number * 0x9e3779b97f4a7c15ul;
  record->value = number ^ record->key;
  record->sum = sum_of(number, record->key, record->value);
  clwb(record);
#ifdef BUG_EARLY
  if (number % SLOTS == SLOTS - 1) return;
#endif
  sfence();
}

static void count(struct ring *ring, uint64_t number) {
  ring->newest = number;
  persist(&ring->newest);
}

static int recover(const struct ring *ring) {
  uint64_t oldest = ring->newest < SLOTS ? 1 : ring->newest - SLOTS + 2;
  for (uint64_t number = oldest; number <= ring->newest; number++) {
    const struct record *record = &ring->records[number % SLOTS];
    if (record->number != number || record->sum != sum_of(number, record->key, record->value)) {
      fprintf(stderr, "record %lu is not whole\n", number);
      return 3;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  struct ring *ring = pm_map(argv[1]);
  if (argc < 3) return recover(ring);
  for (uint64_t number = 1; number <= strtoull(argv[2], NULL, 10); number++) {
    fill(&ring->records[number % SLOTS], number);
    count(ring, number);
  }
  return 0;
}
