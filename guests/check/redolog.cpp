/*
 * A persistent store changed in transactions with a redo log: new values are gathered in the log, the store of their
 * number commits them, and only then they go to their places; recovery does again what was committed. BUG picks a seeded
 * mistake.
 */
#include "structure.h"

template <typename Value, size_t Places, size_t Entries> class RedoStore {
  struct Entry { uint64_t place; Value value; };
  struct Place { alignas(LINE) Value value; };

  alignas(LINE) uint64_t committed;
  alignas(LINE) Entry log[Entries];
  Place places[Places];

  template <typename Field> static void settle(const Field &field) { persist(&field, sizeof field); }

  /* Moves what the log holds to its places, and empties the log. */
  void apply(uint64_t entries) {
    for (uint64_t i = 0; i < entries; i++) {
      if (log[i].place >= Places) abort();
      Place &place = places[log[i].place];
      place.value = log[i].value;
#if !defined BUG_EARLY_CLEAR && !defined BUG_LOST_ACK
      flush(&place, sizeof place);
#endif
    }
    fence();
    committed = 0;
#ifndef BUG_LATE_CLEAR
    settle(committed);
#endif
#ifdef BUG_EARLY_CLEAR
    settle(places);
#endif
  }

public:
  /* Values are seen by others when it is committed, all of them or none. */
  class Transaction {
    RedoStore &store;
    uint64_t entries = 0;

  public:
    explicit Transaction(RedoStore &store) : store(store) {}

    void put(uint64_t place, const Value &value) {
      Entry &entry = store.log[entries++];
      entry = {place, value};
#ifdef BUG_MISSING_FLUSH
      flush(&entry, sizeof entry.place);
#elif !defined BUG_WRONG_ORDER
      flush(&entry, sizeof entry);
#endif
#ifdef BUG_NON_ATOMIC
      commit();
      entries = 0;
#endif
    }

    void commit() {
#ifndef BUG_MISSING_FENCE
      fence();
#endif
      store.committed = entries;
      settle(store.committed);
#ifdef BUG_WRONG_ORDER
      settle(store.log);
#endif
      store.apply(entries);
    }
  };

  const Value &operator[](uint64_t place) const { return places[place].value; }

  void recover() {
    if (committed > Entries) fail(BROKEN, "%d entries are committed", (int)committed);
#ifdef BUG_RECOVERY
    /* The last entry is taken for one that was still being written. */
    if (committed != 0) apply(committed - 1);
#else
    apply(committed);
#endif
  }
};

/* As wide as to make some entries of the log span two lines. */
struct Wide {
  uint64_t words[5];
  static Wide of(uint64_t seed) { return {{seed, seed + 1, seed + 2, seed * 3, ~seed}}; }
  bool operator==(const Wide &other) const { return memcmp(this, &other, sizeof *this) == 0; }
};

static const uint64_t PLACES = 6;
using Store = RedoStore<Wide, PLACES, 3>;
static Store &store_in(void *pool) { return *static_cast<Store *>(pool); }

/* Each operation puts new values into two or three places. */
static const int OPERATIONS = 6;
static uint64_t changed(int operation) { return 2 + operation % 2; }
static uint64_t place_of(int operation, uint64_t i) { return (operation * 2 + i) % PLACES; }
static uint64_t seed_of(int operation, uint64_t i) { return 100 * (operation + 1) + i; }

static void recover(void *pool) { store_in(pool).recover(); }

static void operate(void *pool, int operation) {
  Store::Transaction transaction(store_in(pool));
  for (uint64_t i = 0; i < changed(operation); i++)
    transaction.put(place_of(operation, i), Wide::of(seed_of(operation, i)));
  transaction.commit();
}

static bool holds(void *pool, int operations) {
  Wide expected[PLACES] = {};
  for (int operation = 0; operation < operations; operation++)
    for (uint64_t i = 0; i < changed(operation); i++)
      expected[place_of(operation, i)] = Wide::of(seed_of(operation, i));
  for (uint64_t place = 0; place < PLACES; place++)
    if (!(store_in(pool)[place] == expected[place])) return false;
  return true;
}

static void show(void *pool) {
  for (uint64_t place = 0; place < PLACES; place++) printf("%d\n", (int)store_in(pool)[place].words[0]);
}

int main(int argc, char **argv) {
  const struct guest guest = {OPERATIONS, recover, operate, holds, show};
  return drive(&guest, argc, argv);
}
