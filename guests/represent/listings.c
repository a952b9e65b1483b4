/*
 * The listings of Squint's chapter (seed 002, Listings 4.1 to 4.3): a table of entries, each over several lines, that no
 * type encloses: who knows one knows where it lies in the pool. An entry that takes the place of another refers to it.
 * argv: the pool, and what to do: insert, safely, ordered, both, replace; or what to look for: torn, gone.
 */
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 16384
#define ENTRY_BYTES 512

enum { FIRST = 11, SECOND = 12 };

struct entry {
  _Alignas(64) uint64_t key;
  _Alignas(64) uint64_t value;
  _Alignas(64) uint64_t older; /* the entry whose place it takes, by its offset in the pool */
  _Alignas(64) uint64_t valid;
};

#define apart __attribute__((noinline)) static

static char *pool;
static struct entry *entry_at(unsigned number) { return (struct entry *)(pool + (number + 1) * ENTRY_BYTES); }
static uint64_t offset_of(const struct entry *entry) { return (uint64_t)((const char *)entry - pool); }

static void persist(const void *start, size_t bytes) {
  for (uintptr_t line = (uintptr_t)start & ~63ul; line < (uintptr_t)start + bytes; line += 64) clwb(line);
  sfence();
}
#define PERSIST(what) persist(&(what), sizeof(what))

/* Listing 4.1: nothing orders valid behind key and value. */
apart void insert(unsigned number, uint64_t key, uint64_t value) {
  struct entry *new_entry = entry_at(number);
  new_entry->key = key;
  new_entry->value = value;
  new_entry->older = 0;
  new_entry->valid = 1;
  PERSIST(*new_entry);
}
/* The same done right. */
apart void insert_safely(unsigned number, uint64_t key, uint64_t value) {
  struct entry *new_entry = entry_at(number);
  new_entry->key = key;
  new_entry->value = value;
  new_entry->older = 0;
  PERSIST(*new_entry);
  new_entry->valid = 1;
  PERSIST(new_entry->valid);
}
/* Listing 4.2: nor the new entry before the old one goes. */
apart void replace(unsigned old, unsigned number, uint64_t value) {
  struct entry *new_entry = entry_at(number);
  struct entry *old_entry = entry_at(old);
  new_entry->key = old_entry->key;
  new_entry->value = value;
  new_entry->older = offset_of(old_entry);
  new_entry->valid = 1;
  old_entry->valid = 0;
  PERSIST(*new_entry);
  PERSIST(*old_entry);
}
/* Listing 4.3: key is ordered, value is not. */
apart void insert_ordered(unsigned number, uint64_t key, uint64_t value) {
  struct entry *new_entry = entry_at(number);
  new_entry->key = key;
  PERSIST(new_entry->key);
  new_entry->value = value;
  new_entry->older = 0;
  new_entry->valid = 1;
  PERSIST(*new_entry);
}

#define ENTRIES 8
/* An entry that is valid has a key and a value. */
static int check_torn(void) {
  for (unsigned i = 0; i < ENTRIES; i++) {
    struct entry *entry = entry_at(i);
    if (entry->valid && entry->key == 0) return 3;
    if (entry->valid && entry->value == 0) return 4;
  }
  return 0;
}
/* Once the first key counts as there, it stays. */
static int check_gone(void) {
  int was = 0, is = 0;
  for (unsigned i = 0; i < ENTRIES; i++) {
    struct entry *entry = entry_at(i);
    if (entry->key != FIRST) continue;
    was = 1;
    is |= entry->valid != 0;
  }
  return was && !is && *(uint64_t *)pool ? 5 : 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  pool = map_pool(argv[1], POOL_BYTES);
  const char *what = argv[2];
  if (strcmp(what, "torn") == 0) return check_torn();
  if (strcmp(what, "gone") == 0) return check_gone();
  if (strcmp(what, "insert") == 0) { insert(0, FIRST, 101); insert(1, SECOND, 102); }
  else if (strcmp(what, "safely") == 0) { insert_safely(0, FIRST, 101); insert_safely(1, SECOND, 102); }
  else if (strcmp(what, "ordered") == 0) { insert_ordered(0, FIRST, 101); insert_ordered(1, SECOND, 102); }
  else if (strcmp(what, "replace") == 0) {
    insert(0, FIRST, 101);
    insert(1, SECOND, 102);
    /* From here on, the first key counts as there. */
    *(uint64_t *)pool = 1;
    persist(pool, 8);
    replace(0, 2, 103);
  } else if (strcmp(what, "both") == 0) { insert_ordered(0, FIRST, 101); insert(1, SECOND, 102); }
  else return 2;
  return 0;
}
