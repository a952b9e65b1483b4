/*
 * A table that is filled as standard input says: `a` sets an entry in the right order, `b` value and flag without one. With a
 * second argument it looks at what a crash left.
 */
#include "../check/pm.h"

#define ENTRIES 16

struct entry { _Alignas(64) uint64_t value; _Alignas(64) uint64_t valid; };

__attribute__((noinline)) static void ordered(struct entry *entry) {
  entry->value = 7;
  persist(&entry->value);
  entry->valid = 1;
  persist(&entry->valid);
}
__attribute__((noinline)) static void unordered(struct entry *entry) {
  entry->value = 8;
  entry->valid = 1;
  clwb(&entry->value);
  persist(&entry->valid);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  struct entry *entries = pm_map(argv[1]);
  if (argc > 2) {
    for (int i = 0; i < ENTRIES; i++)
      if (entries[i].valid && entries[i].value == 0) return 3;
    return 0;
  }
  char commands[ENTRIES];
  ssize_t count = read(0, commands, sizeof commands);
  for (ssize_t i = 0; i < count; i++) {
    if (commands[i] == 'a') ordered(&entries[i]);
    if (commands[i] == 'b') unordered(&entries[i]);
  }
  return 0;
}
