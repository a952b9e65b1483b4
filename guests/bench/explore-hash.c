/*
 * An extendible hash table in persistent memory for the exploration bench. `explore-hash POOL N` puts N keys, `explore-hash POOL`
 * reads all of it and checks that it holds the first so many of them and no others.
 *
 * A pair counts once its key is stored, after its value and in the same line. A full bucket gets a sibling, which takes over the
 * upper half of its hashes: the sibling is persisted, then the entries of the directory that lead to it, one after another,
 * and last the bucket's own depth; until then both hold what moves, and from then on what moved counts as free. A directory that
 * is too small is built anew with twice the entries, and one store makes it count.
 */
#include "check-pool.h"

#define PAIRS 8
#define SMALLEST 1

struct pair { volatile uint64_t key, value; };
/* The range of hashes: their common upper bits and, in the lowest byte, how many these are. */
struct bucket { _Alignas(LINE) volatile uint64_t range; _Alignas(LINE) struct pair pairs[PAIRS]; };
struct table {
  _Alignas(LINE) volatile uint64_t directory; /* its place and, in the lowest byte, its depth */
  _Alignas(LINE) volatile uint64_t free;
  _Alignas(LINE) volatile uint64_t lock;
};

static struct table *table;

static void persist(volatile void *at) { clwb(at); sfence(); }
static uint64_t hash(uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ull;
  key = (key ^ key >> 27) * 0x94d049bb133111ebull;
  return key ^ key >> 31;
}
static uint64_t top(uint64_t hash, uint64_t bits) { return bits == 0 ? 0 : hash >> (64 - bits); }

static uint64_t depth_of(uint64_t directory) { return directory & 0xff; }
static volatile uint64_t *entries(uint64_t directory) { return (volatile uint64_t *)((char *)table + (directory & ~0xffull)); }
static struct bucket *bucket_at(uint64_t offset) { return (struct bucket *)((char *)table + offset); }
static struct bucket *bucket_of(uint64_t hash) {
  uint64_t directory = table->directory;
  return bucket_at(entries(directory)[top(hash, depth_of(directory))]);
}

static uint64_t depth_in(uint64_t range) { return range & 0xff; }
static uint64_t prefix_in(uint64_t range) { return range >> 8; }

static int belongs(const struct bucket *bucket, uint64_t key) {
  uint64_t range = bucket->range;
  return key != 0 && top(hash(key), depth_in(range)) == prefix_in(range);
}

/* The pair of a key, which must be the only one. */
static struct pair *find(uint64_t key) {
  struct bucket *bucket = bucket_of(hash(key));
  struct pair *found = NULL;
  for (int i = 0; i < PAIRS; i++) {
    if (bucket->pairs[i].key != key) continue;
    if (found != NULL) broken("a key is there twice");
    found = &bucket->pairs[i];
  }
  if (found == NULL) broken("a key is lost");
  if (found->value != payload_of(key)) broken("a key has another's value");
  return found;
}

static uint64_t allocate(uint64_t bytes) {
  uint64_t offset = (table->free + 255) & ~255ull;
  table->free = offset + bytes;
  persist(&table->free);
  return offset;
}

static uint64_t new_bucket(uint64_t depth, uint64_t prefix) {
  uint64_t offset = allocate(sizeof(struct bucket));
  bucket_at(offset)->range = prefix << 8 | depth;
  persist(bucket_at(offset));
  return offset;
}

static void double_directory(void) {
  uint64_t old = table->directory, count = 1ull << depth_of(old);
  uint64_t grown = allocate(2 * count * sizeof(uint64_t)) | (depth_of(old) + 1);
  for (uint64_t i = 0; i < count; i++) {
    entries(grown)[2 * i] = entries(grown)[2 * i + 1] = entries(old)[i];
    persist(&entries(grown)[2 * i]);
  }
  table->directory = grown;
  persist(&table->directory);
}

static void split(struct bucket *bucket) {
  uint64_t depth = depth_in(bucket->range) + 1, prefix = prefix_in(bucket->range) << 1;
  if (depth > depth_of(table->directory)) double_directory();
  uint64_t sibling = new_bucket(depth, prefix | 1);
  for (int i = 0, j = 0; i < PAIRS; i++) {
    if (!belongs(bucket_at(sibling), bucket->pairs[i].key)) continue;
    struct pair *pair = &bucket_at(sibling)->pairs[j++];
    pair->value = bucket->pairs[i].value;
    pair->key = bucket->pairs[i].key;
    persist(pair);
  }
  uint64_t directory = table->directory, each = 1ull << (depth_of(directory) - depth);
  for (uint64_t i = 0; i < each; i++) {
    volatile uint64_t *entry = &entries(directory)[(prefix | 1) * each + i];
    *entry = sibling;
    persist(entry);
  }
  bucket->range = prefix << 8 | depth;
  persist(bucket);
}

void put(uint64_t key, uint64_t value) {
  for (;;) {
    struct bucket *bucket = bucket_of(hash(key));
    for (int i = 0; i < PAIRS; i++) {
      struct pair *pair = &bucket->pairs[i];
      if (belongs(bucket, pair->key)) continue;
      pair->key = 0;
      pair->value = value;
      pair->key = key;
      persist(pair);
      return;
    }
    split(bucket);
  }
}

uint64_t get(uint64_t key) { return find(key)->value; }

static void create(void) {
  table->free = sizeof *table;
  persist(&table->free);
  uint64_t directory = allocate(2 * sizeof(uint64_t)) | SMALLEST;
  for (uint64_t i = 0; i < 2; i++) entries(directory)[i] = new_bucket(SMALLEST, i);
  persist(entries(directory));
  table->directory = directory;
  persist(&table->directory);
}

/* How many keys a directory's entry leads to. */
static uint64_t verify(uint64_t entry, uint64_t depth) {
  struct bucket *bucket = bucket_at(entries(table->directory)[entry]);
  uint64_t own = depth_in(bucket->range);
  if (own > depth || entry >> (depth - own) != prefix_in(bucket->range)) broken("a directory's entry leads to another's bucket");
  uint64_t found = 0;
  for (int i = 0; i < PAIRS; i++) {
    uint64_t key = bucket->pairs[i].key;
    if (key == 0 || top(hash(key), depth) != entry) continue;
    if (find(key) != &bucket->pairs[i]) broken("a key is in another's bucket");
    found++;
  }
  return found;
}

static void recover(void) {
  uint64_t directory = table->directory, keys = 0;
  if (directory == 0) return;
  take_over(&table->lock);
  for (uint64_t i = 0; i < 1ull << depth_of(directory); i++) keys += verify(i, depth_of(directory));
  for (uint64_t key = 2; key < keys + 2; key++) find(key);
}

int main(int argc, char **argv) {
  if (argc == 2) { table = pool_map(argv[1], 0); recover(); return 0; }
  uint64_t keys = strtoull(argv[2], NULL, 10);
  table = pool_map(argv[1], 16384 + keys * 256);
  create();
  fill(keys, &table->lock);
  return 0;
}
