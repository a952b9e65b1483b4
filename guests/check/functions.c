/*
 * A ledger whose functions run at different times: in the set-up, in the run, after a clean stop, only after a power cut, or
 * never. `spin` calls `seldom` in a hot loop where the command asks for it.
 */
#include "../flush.h"
#include <stdalign.h>
#include <string.h>

#define ENTRIES 8
/* Any processor has clflush: the program also runs natively. */
#define persist(p) do { clflush(p); sfence(); } while (0)

struct ledger {
  alignas(64) uint64_t count;
  alignas(64) uint64_t pending; /* The number of the entry under way, and 0 when there is none. */
  alignas(64) uint64_t entries[ENTRIES];
};

static volatile uint64_t sum;

static void create(struct ledger *ledger) {
  ledger->count = 0;
  ledger->pending = 0;
  persist(&ledger->count);
  persist(&ledger->pending);
}

static void enter(struct ledger *ledger, uint64_t value) {
  ledger->pending = ledger->count + 1;
  persist(&ledger->pending);
  ledger->entries[ledger->count] = value;
  persist(&ledger->entries[ledger->count]);
  ledger->count++;
  persist(&ledger->count);
  ledger->pending = 0;
  persist(&ledger->pending);
}

/* Only a crash between the two stores to `pending` leads here. */
static void undo(struct ledger *ledger) {
  if (ledger->count == ledger->pending) ledger->count--;
  persist(&ledger->count);
  ledger->pending = 0;
  persist(&ledger->pending);
}

static int audit(struct ledger *ledger) {
  if (ledger->pending != 0) undo(ledger);
  for (uint64_t i = 0; i < ledger->count; i++)
    if (ledger->entries[i] != i + 1) return 3;
  return 0;
}

static void discard(struct ledger *ledger) {
  ledger->count--;
  persist(&ledger->count);
  fprintf(stderr, "one entry less\n");
}

/* Not static: there is code of its own even where it is inlined. */
void compact(struct ledger *ledger) {
  memmove(ledger->entries, ledger->entries + 1, sizeof ledger->entries - sizeof *ledger->entries);
  persist(ledger->entries);
  discard(ledger);
}

static void seldom(uint64_t round) {
  sum = sum * 31 + round;
  if (round % 5 == 0) sum ^= round << 7;
}

static void spin(uint64_t rounds, int all) {
  for (uint64_t round = 0; round < rounds; round++) {
    sum += round;
    /* Late enough that code kept of an earlier run is in use by then. */
    if (all && round > 20000 && round % 3 == 0) seldom(round);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  struct ledger *ledger = map_pool(argv[1], 4096);
  const char *command = argv[2];
  if (strcmp(command, "create") == 0) create(ledger);
  if (strcmp(command, "check") == 0) return audit(ledger);
  if (strcmp(command, "compact") == 0) compact(ledger);
  if (strcmp(command, "run") == 0)
    for (uint64_t i = 1; i <= 3; i++) enter(ledger, i);
  if (argc > 3) spin(strtoul(argv[3], NULL, 10), argc > 4);
  return 0;
}
