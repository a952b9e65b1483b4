/*
 * A hash map in persistent memory: buckets of chained entries, which grows by writing all of its entries anew and switching to them
 * with one store. `PROGRAM POOL OPERATIONS` inserts, changes and takes out; `PROGRAM POOL` recovers: it looks at every
 * entry. BUG_LINK: a new entry is persisted together with the link to it. BUG_CHANGE: an entry is changed in place,
 * value and check one after the other. BUG_GROW: it switches before the new table is persisted, which only happens
 * a few times in a hundred thousand operations. BUG_UNLINK: what is taken out is wiped before the link to it is gone.
 */
#define POOL_BYTES (64ul << 20)
#include "../check/pm.h"

#define ENTRY_BYTES 64
#define LOAD 4

struct entry { uint64_t key, value, check, next; };
struct table { uint64_t bits, entries; uint64_t buckets[]; };
struct map {
  _Alignas(64) uint64_t table; /* the table's offset in the pool */
  _Alignas(64) uint64_t used;  /* bytes of the pool that are taken; found again by recovery */
};

static char *pool;
static struct map *map;
static uint64_t used;

static void *at(uint64_t offset) { return pool + offset; }
static uint64_t offset_of(const void *p) { return (uint64_t)((const char *)p - pool); }
static void save(const void *start, uint64_t bytes) {
  for (uintptr_t line = (uintptr_t)start & ~63ul; line < (uintptr_t)start + bytes; line += 64) clwb(line);
  sfence();
}
static uint64_t mixed(uint64_t key) { return key * 0x9e3779b97f4a7c15ul >> 20; }
static uint64_t check_of(uint64_t key, uint64_t value) { return key * 31 + value * 7 + 1; }

static uint64_t take(uint64_t bytes) {
  uint64_t start = used;
  used += (bytes + ENTRY_BYTES - 1) / ENTRY_BYTES * ENTRY_BYTES;
  if (used > POOL_BYTES) { fprintf(stderr, "the pool is full\n"); exit(2); }
  return start;
}
static struct table *new_table(uint64_t bits) {
  struct table *table = at(take(sizeof(struct table) + (8ul << bits)));
  table->bits = bits;
  table->entries = 0;
  return table;
}
static uint64_t *bucket_of(struct table *table, uint64_t key) { return &table->buckets[mixed(key) & ((1ul << table->bits) - 1)]; }

static void fill(struct entry *entry, uint64_t key, uint64_t value, uint64_t next) {
  entry->key = key;
  entry->value = value;
  entry->check = check_of(key, value);
  entry->next = next;
}

/* Everything anew in a table twice as large, which counts from the last store on. */
static void grow(struct table *old) {
  struct table *table = new_table(old->bits + 1);
  uint64_t start = offset_of(table);
  for (uint64_t i = 0; i < 1ul << old->bits; i++)
    for (uint64_t link = old->buckets[i]; link != 0;) {
      struct entry *from = at(link), *to = at(take(sizeof *to));
      uint64_t *bucket = bucket_of(table, from->key);
      fill(to, from->key, from->value, *bucket);
      *bucket = offset_of(to);
      table->entries++;
      link = from->next;
    }
#ifdef BUG_GROW
  map->table = start;
  persist(&map->table);
  save(at(start), used - start);
#else
  save(at(start), used - start);
  map->table = start;
  persist(&map->table);
#endif
}

static void insert(uint64_t key, uint64_t value) {
  struct table *table = at(map->table);
  uint64_t *bucket = bucket_of(table, key);
  struct entry *entry = at(take(sizeof *entry));
  fill(entry, key, value, *bucket);
#ifndef BUG_LINK
  save(entry, sizeof *entry);
#else
  clwb(entry);
#endif
  *bucket = offset_of(entry);
  persist(bucket);
  table->entries++;
  persist(&table->entries);
  if (table->entries > (LOAD << table->bits)) grow(table);
}

static uint64_t *link_to(uint64_t key) {
  uint64_t *link = bucket_of(at(map->table), key);
  while (*link != 0 && ((struct entry *)at(*link))->key != key) link = &((struct entry *)at(*link))->next;
  return link;
}
/* Another entry takes the place of the one with the key. */
static void change(uint64_t key, uint64_t value) {
  uint64_t *link = link_to(key);
  struct entry *old = at(*link);
#ifdef BUG_CHANGE
  old->value = value;
  persist(&old->value);
  old->check = check_of(key, value);
  persist(&old->check);
#else
  struct entry *entry = at(take(sizeof *entry));
  fill(entry, key, value, old->next);
  save(entry, sizeof *entry);
  *link = offset_of(entry);
  persist(link);
#endif
}
static void take_out(uint64_t key) {
  uint64_t *link = link_to(key);
  struct entry *old = at(*link);
  uint64_t next = old->next;
#ifdef BUG_UNLINK
  old->key = 0;
  persist(&old->key);
#endif
  *link = next;
  persist(link);
  struct table *table = at(map->table);
  table->entries--;
  persist(&table->entries);
}

/* How many entries there are; each must be whole and in its bucket. */
static uint64_t look(void) {
  struct table *table = at(map->table);
  uint64_t count = 0;
  for (uint64_t i = 0; i < 1ul << table->bits; i++)
    for (uint64_t link = table->buckets[i]; link != 0; link = ((struct entry *)at(link))->next) {
      struct entry *entry = at(link);
      if (entry->check != check_of(entry->key, entry->value)) { fprintf(stderr, "entry %lu is broken\n", (unsigned long)entry->key); exit(3); }
      if (bucket_of(table, entry->key) != &table->buckets[i]) { fprintf(stderr, "entry %lu is astray\n", (unsigned long)entry->key); exit(4); }
      count++;
    }
  return count;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  pool = pm_map(argv[1]);
  map = (struct map *)pool;
  used = sizeof *map;
  if (argc == 2) return map->table == 0 ? 0 : (look(), 0);
  struct table *table = new_table(4);
  save(table, sizeof *table + (8ul << 4));
  map->table = offset_of(table);
  persist(&map->table);
  uint64_t operations = strtoul(argv[2], NULL, 10), keys = 0;
  for (uint64_t i = 1; i <= operations; i++) {
    if (i % 10 == 7) change(keys, i);
    else if (i % 10 == 9) take_out(keys--);
    else insert(++keys, i);
  }
  return 0;
}
