/*
 * A new entry takes the place of an old one (Listing 4.2). As in Listing 4.1 nothing orders the new entry's fields, and
 * nothing orders it before the old one is given up. The mended twin does one after the other; both entries are valid for a
 * moment, which recovery takes. `PROGRAM POOL check` recovers.
 */
#include "entry.h"

static void replace(entry_t *new_entry, entry_t *old_entry, const char *new_value) {
  write_text(new_entry->key, old_entry->key);
  write_text(new_entry->value, new_value);
  new_entry->valid = 1;
  old_entry->valid = 0;
  PERSIST_ENTRY(new_entry);
  PERSIST(&old_entry->valid, 8);
}

static void replace_mended(entry_t *new_entry, entry_t *old_entry, const char *new_value) {
  insert_mended(new_entry, old_entry->key, new_value);
  old_entry->valid = 0;
  PERSIST(&old_entry->valid, 8);
}

static int finds(const entry_t *table, const char *key) {
  for (int i = 0; i < ENTRIES; i++)
    if (table[i].valid && strcmp(table[i].key, key) == 0) return 1;
  return 0;
}

/* A key that was written once is there for good: entries 0 and 2 were the first to hold theirs. */
static void demand(const entry_t *table) {
  if (table[0].key[0] != 0 && table[1].key[0] != 0) must(finds(table, table[0].key));
  if (table[2].key[0] != 0 && table[3].key[0] != 0) must(finds(table, table[2].key));
}

int main(int argc, char **argv) {
  entry_t *table = pm_map(argv[1]);
  if (argc > 2) {
    check_all(table);
    demand(table);
    return 0;
  }
  insert_mended(&table[0], "lamp", "on");
  replace_mended(&table[1], &table[0], "off");
  insert_mended(&table[2], "door", "shut");
  replace(&table[3], &table[2], "open");
  return 0;
}
