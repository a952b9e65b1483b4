// An open-addressing hash table: inserts, look-ups, deletes. Argument: rounds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { slots = 1 << 16 };
static struct { uint64_t key, value; } table[slots];

static uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  return x * 0xc4ceb9fe1a85ec53ull;
}

static uint64_t *find(uint64_t key) {
  for (uint64_t at = mix(key) % slots;; at = (at + 1) % slots) {
    if (table[at].key == key) return &table[at].value;
    if (table[at].key == 0) {
      table[at].key = key;
      return &table[at].value;
    }
  }
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  uint64_t sum = 0;
  for (int round = 0; round < rounds; round++) {
    memset(table, 0, sizeof table);
    uint64_t state = round + 1;
    for (int i = 0; i < 200000; i++) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      *find((state >> 40) % 40000 + 1) += state & 0xff;
    }
    for (int i = 0; i < slots; i++) sum = sum * 31 + table[i].value;
  }
  printf("%llx\n", (unsigned long long)sum);
  return 0;
}
