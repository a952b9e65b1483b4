/* An entry of a hash table that spans several lines, and what recovery demands of it (Listing 4.1). */
#ifndef ENTRY_H
#define ENTRY_H
#include "../rules/pm.h"
#include <string.h>

#define ENTRIES 8

/* Says in few words what does not hold. */
#define must(condition) do { \
    if (!(condition)) { fprintf(stderr, "not so: %s\n", #condition); abort(); } \
  } while (0)

typedef struct entry {
  _Alignas(64) char key[64];
  char value[64];
  volatile uint64_t valid;
} entry_t;

#define PERSIST(start, bytes) do { \
    for (char *line = (char *)(start); line < (char *)(start) + (bytes); line += 64) clwb(line); \
    sfence(); \
  } while (0)
#define PERSIST_ENTRY(entry) PERSIST(entry, sizeof(entry_t))

/* Words are written in one piece of eight bytes, as short keys and values are. */
static void write_text(char *field, const char *text) {
  uint64_t word = 0;
  strncpy((char *)&word, text, sizeof word);
  *(volatile uint64_t *)field = word;
}

static void insert_mended(entry_t *entry, const char *key, const char *value) {
  write_text(entry->key, key);
  write_text(entry->value, value);
  PERSIST(entry, 128);
  entry->valid = 1;
  PERSIST(&entry->valid, 8);
}

static void check_consistency(const entry_t *entry) {
  if (!entry->valid) return;
  must(strlen(entry->key) > 0);
  must(strlen(entry->value) > 0);
}

static void check_all(const entry_t *table) {
  for (int i = 0; i < ENTRIES; i++) check_consistency(&table[i]);
}
#endif
