/*
 * Listing 4.1 with one more order: the key is persisted before the rest (Listing 4.3). The mark can still persist without
 * the value, but no longer without the key. `PROGRAM POOL check` recovers.
 */
#include "entry.h"

static void insert_ordered(entry_t *entry, const char *key, const char *value) {
  write_text(entry->key, key);
  PERSIST(entry->key, 64);
  write_text(entry->value, value);
  entry->valid = 1;
  PERSIST(entry->value, 128);
}

int main(int argc, char **argv) {
  entry_t *table = pm_map(argv[1]);
  if (argc > 2) {
    check_all(table);
    return 0;
  }
  insert_mended(&table[0], "lamp", "on");
  insert_ordered(&table[1], "door", "shut");
  return 0;
}
