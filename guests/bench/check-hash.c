/*
 * A hash map in persistent memory for the crash benches: linear probing over pairs that never cross a line. `check-hash
 * POOL N` does N operations, `check-hash POOL` verifies the whole map. A pair counts once its key is stored, after its
 * value and in the same line; a key of 1 marks a place that was freed.
 */
#include "check-pool.h"

struct pair { volatile uint64_t key, value; };
struct map { _Alignas(LINE) volatile uint64_t size; _Alignas(LINE) struct pair pairs[]; };
static struct map *map;

static struct pair *home(uint64_t key) { return &map->pairs[key * 0x9e3779b97f4a7c15ull >> 20 & (map->size - 1)]; }
static struct pair *after(struct pair *pair) { return pair + 1 == map->pairs + map->size ? map->pairs : pair + 1; }

static struct pair *find(uint64_t key) {
  for (struct pair *pair = home(key); pair->key != 0; pair = after(pair)) if (pair->key == key) return pair;
  return NULL;
}

static void persist(volatile void *at) { clwb(at); sfence(); }

void put(uint64_t key, uint64_t value) {
  struct pair *pair = find(key);
  if (pair == NULL) {
    for (pair = home(key); pair->key > 1;) pair = after(pair);
    pair->value = value;
    pair->key = key;
  } else pair->value = value;
  persist(pair);
}

uint64_t get(uint64_t key) { struct pair *pair = find(key); return pair ? pair->value : 0; }

void del(uint64_t key) {
  struct pair *pair = find(key);
  if (pair == NULL) return;
  pair->key = after(pair)->key == 0 ? 0 : 1;
  persist(pair);
}

static void verify(void) {
  for (uint64_t i = 0; i < map->size; i++) {
    struct pair *pair = &map->pairs[i];
    if (pair->key <= 1) continue;
    if (pair->value >> 32 != pair->key) broken("a key has another's value");
    if (find(pair->key) != pair) broken("a key cannot be found");
  }
}

int main(int argc, char **argv) {
  if (argc == 2) { map = pool_map(argv[1], 0); verify(); return 0; }
  uint64_t operations = strtoull(argv[2], NULL, 10), size = 64;
  while (size < key_space(operations) * 2) size *= 2;
  map = pool_map(argv[1], sizeof(struct map) + size * sizeof(struct pair));
  map->size = size;
  persist(&map->size);
  work(operations);
  return 0;
}
