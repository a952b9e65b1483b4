/*
 * A persistent store of balances changed in transactions with an undo log: an old value is in the log before its place is
 * stored to, and the log is emptied when the new values are persisted. Recovery takes back what the log holds, newest
 * first. BUG picks a seeded mistake.
 */
#include "structure.h"

#define BALANCES 6
#define ENTRIES 8

struct entry { uint64_t place, old; };
struct balance { alignas(LINE) uint64_t amount; };
struct store {
  alignas(LINE) uint64_t entries;
  alignas(LINE) struct entry log[ENTRIES];
  struct balance balances[BALANCES];
};

static void recover(void *pool) {
  struct store *store = pool;
  if (store->entries > ENTRIES) fail(BROKEN, "the log has %d entries", (int)store->entries);
#ifdef BUG_RECOVERY
  for (uint64_t i = 0; i < store->entries; i++) {
#else
  for (uint64_t i = store->entries; i-- > 0;) {
#endif
    const struct entry *entry = &store->log[i];
#ifdef BUG_HANG
    /* Waits for an entry that is not there. */
    if (entry->place == 0) { i++; continue; }
#endif
    if (entry->place == 0 || entry->place > BALANCES) abort();
    struct balance *balance = &store->balances[entry->place - 1];
    balance->amount = entry->old;
    flush(balance, sizeof *balance);
  }
  fence();
  store->entries = 0;
  persist(&store->entries, sizeof store->entries);
}

static void remember(struct store *store, uint64_t place, uint64_t old) {
  struct entry *entry = &store->log[store->entries];
  *entry = (struct entry){place + 1, old};
#if !defined BUG_MISSING_FLUSH && !defined BUG_HANG
  flush(entry, sizeof *entry);
#endif
#ifndef BUG_MISSING_FENCE
  fence();
#endif
  store->entries++;
  persist(&store->entries, sizeof store->entries);
}

static void add(struct store *store, uint64_t place, uint64_t amount) {
  struct balance *balance = &store->balances[place];
  uint64_t old = balance->amount;
#ifndef BUG_WRONG_ORDER
  remember(store, place, old);
#endif
  balance->amount = old + amount;
#ifdef BUG_LOST_ACK
  if (place % 2 == 1) return;
#endif
#ifndef BUG_EARLY_COMMIT
  flush(balance, sizeof *balance);
#endif
#ifdef BUG_WRONG_ORDER
  remember(store, place, old);
#endif
}

static void commit(struct store *store) {
  fence();
  store->entries = 0;
  persist(&store->entries, sizeof store->entries);
#ifdef BUG_EARLY_COMMIT
  persist(store->balances, sizeof store->balances);
#endif
}

static void transfer(struct store *store, uint64_t from, uint64_t to, uint64_t amount) {
  add(store, from, -amount);
#ifdef BUG_NON_ATOMIC
  commit(store);
#endif
  add(store, to, amount);
  commit(store);
}

/* Over a third place, which is stored to twice. */
static void relay(struct store *store, uint64_t from, uint64_t over, uint64_t to, uint64_t amount) {
  add(store, from, -amount);
  add(store, over, amount);
  add(store, over, 1 - amount);
  add(store, to, amount - 1);
  commit(store);
}

struct operation { uint64_t from, over, to, amount; };
/* Nothing goes over where money comes from. */
static const struct operation workload[] = {{0, 0, 1, 100}, {2, 3, 4, 50}, {1, 1, 5, 7}, {4, 0, 3, 30}, {5, 5, 2, 11}};
#define OPERATIONS ((int)(sizeof workload / sizeof *workload))

static void operate(void *pool, int operation) {
  const struct operation *next = &workload[operation];
  if (next->from == next->over) transfer(pool, next->from, next->to, next->amount);
  else relay(pool, next->from, next->over, next->to, next->amount);
}

static bool holds(void *pool, int operations) {
  uint64_t amounts[BALANCES] = {0};
  for (int i = 0; i < operations; i++) {
    const struct operation *each = &workload[i];
    bool relayed = each->from != each->over;
    amounts[each->from] -= each->amount;
    if (relayed) amounts[each->over]++;
    amounts[each->to] += each->amount - relayed;
  }
  for (int i = 0; i < BALANCES; i++)
    if (((struct store *)pool)->balances[i].amount != amounts[i]) return false;
  return true;
}

static void show(void *pool) {
  for (int i = 0; i < BALANCES; i++) printf("%d\n", (int)((struct store *)pool)->balances[i].amount);
}

int main(int argc, char **argv) {
  const struct guest guest = {OPERATIONS, recover, operate, holds, show};
  return drive(&guest, argc, argv);
}
