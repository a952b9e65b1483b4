/*
 * An entry's key, value and valid mark are stored and then persisted together (Listing 4.1): nothing orders them, so the
 * mark can persist without the key or without the value. The mended twin persists the mark last. `PROGRAM POOL check`
 * recovers.
 */
#include "entry.h"

static void insert(entry_t *entry, const char *key, const char *value) {
  write_text(entry->key, key);
  write_text(entry->value, value);
  entry->valid = 1;
  PERSIST_ENTRY(entry);
}

int main(int argc, char **argv) {
  entry_t *table = pm_map(argv[1]);
  if (argc > 2) {
    check_all(table);
    return 0;
  }
  insert_mended(&table[0], "lamp", "on");
  insert(&table[1], "door", "shut");
  return 0;
}
