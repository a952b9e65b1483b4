/* Keys with values, a key counting once it is there. BUG stores both by one instruction of 16 bytes, which may tear. */
#include "hidden.h"

struct entry { alignas(16) uint64_t key; uint64_t value; };

static void put(struct entry *entry, uint64_t key, uint64_t value) {
#ifdef BUG
  __uint128_t both = (__uint128_t)value << 64 | key;
  __asm__ volatile("movups %1, %0" : "=m"(*entry) : "x"(both)); /* blamed */
#else
  *(volatile uint64_t *)&entry->value = value;
  *(volatile uint64_t *)&entry->key = key;
#endif
  persist(entry, sizeof *entry);
}

int main(int argc, char **argv) {
  struct entry *entries = pm_map(argv[1]);
  for (uint64_t i = 0; i < 6; i++)
    if (!is_check(argc, argv)) put(&entries[i], i + 1, 10 * i + 10);
    else if (entries[i].key != 0 && entries[i].value != 10 * i + 10) fail(BROKEN, "key %lu has no value", i + 1);
  return 0;
}
