/*
 * A small key-value store in persistent memory: a hash table of chained entries in a memory-mapped file. Links are
 * positions of entries, and 0 ends a chain. Entries that no chain reaches are free, so only chains must survive a crash.
 *
 *   kv FILE                 works through a session of puts and deletes, and prints a line for each that is done
 *   kv FILE check           recovers, and demands that everything that was printed holds
 *   kv FILE get KEY | put KEY VALUE | del KEY
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUCKETS 2
#define ENTRIES 64

struct entry {
  char key[32];
  char value[64];
  uint64_t next;
} __attribute__((aligned(64)));

struct store {
  uint64_t buckets[BUCKETS];
  struct entry entries[ENTRIES];
};

static struct store *store;
static char reached[ENTRIES];

/* Persistent memory is written in words: each once, none by halves. */
#define write_words(to, from) \
  for (size_t i = 0; i < sizeof(from) / 8; i++) ((volatile uint64_t *)(to))[i] = ((const uint64_t *)&(from))[i]

static void persist(const volatile void *start, size_t size) {
  const char *end = (const char *)start + size;
  for (const char *line = (const char *)((uintptr_t)start & ~63ul); line < end; line += 64)
    __asm__ volatile("clflushopt %0" : : "m"(*line) : "memory");
  __asm__ volatile("sfence" ::: "memory");
}

static uint64_t *bucket_of(const char *key) {
  unsigned hash = 5381;
  for (; *key; key++) hash = hash * 33 + (unsigned char)*key;
  return &store->buckets[hash % BUCKETS];
}

/* The link that leads to a key's entry, or the one that ends its chain. */
static uint64_t *find(const char *key) {
  uint64_t *link = bucket_of(key);
  while (*link != 0 && strcmp(store->entries[*link].key, key) != 0) link = &store->entries[*link].next;
  return link;
}

static const char *get(const char *key) {
  uint64_t at = *find(key);
  return at == 0 ? NULL : store->entries[at].value;
}

static struct entry *new_entry(void) {
  static uint64_t last = 0;
  for (int tries = 0; tries < ENTRIES; tries++) {
    last = last % (ENTRIES - 1) + 1;
    if (reached[last]) continue;
    reached[last] = 1;
    return &store->entries[last];
  }
  fprintf(stderr, "the store is full\n");
  exit(2);
}

static void insert(const char *key, const char *value) {
  struct entry *entry = new_entry(), fresh = {.next = *bucket_of(key)};
  strncpy(fresh.key, key, sizeof fresh.key - 1);
  strncpy(fresh.value, value, sizeof fresh.value - 1);
  write_words(entry, fresh);
  *bucket_of(key) = (uint64_t)(entry - store->entries);
  persist(entry, sizeof *entry);
  persist(bucket_of(key), sizeof(uint64_t));
}

static void update(const uint64_t *link, const char *value) {
  struct entry *entry = &store->entries[*link], fresh = *entry;
  strncpy(fresh.value, value, sizeof fresh.value - 1);
  write_words(entry->value, fresh.value);
  persist(entry->value, sizeof entry->value);
}

static void put(const char *key, const char *value) {
  uint64_t *link = find(key);
  if (*link == 0) insert(key, value);
  else update(link, value);
}

static void del(const char *key) {
  uint64_t *link = find(key), at = *link;
  if (at == 0) return;
  *link = store->entries[at].next;
  reached[at] = 0;
}

/* Marks what the chains reach. */
static void recover(void) {
  for (int bucket = 0; bucket < BUCKETS; bucket++)
    for (uint64_t at = store->buckets[bucket]; at != 0; at = store->entries[at].next) {
      if (at >= ENTRIES || reached[at]) { fprintf(stderr, "chain %d does not end\n", bucket); exit(1); }
      if (store->entries[at].key[0] == 0) { fprintf(stderr, "chain %d has an entry without a key\n", bucket); exit(1); }
      reached[at] = 1;
    }
}

static const struct { const char *key, *value; } session[] = {
  {"kitchen", "lamp on, radio off, and the window open"},
  {"hall", "lamp off, door shut, and two umbrellas there"},
  {"attic", "lamp off, and nobody up here for weeks"},
  {"hall", "lamp on, door open, and one umbrella left"},
  {"cellar", "lamp on, although nobody is down there"},
  {"attic", NULL},
};
#define STEPS ((int)(sizeof session / sizeof *session))

static const char *value_after(const char *key, int steps) {
  const char *value = NULL;
  for (int i = 0; i < steps; i++)
    if (strcmp(session[i].key, key) == 0) value = session[i].value;
  return value;
}

static int same(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }
static const char *shown(const char *value) { return value == NULL ? "(not there)" : value; }

/* What was acknowledged must hold; the step under way may be done or not. */
static void check(int acknowledged) {
  int under_way = acknowledged < STEPS ? acknowledged + 1 : STEPS;
  for (int i = 0; i < STEPS; i++) {
    const char *key = session[i].key, *value = get(key), *owed = value_after(key, acknowledged);
    if (same(value, owed) || same(value, value_after(key, under_way))) continue;
    fprintf(stderr, "%s: %s, but it was to be: %s\n", key, shown(value), shown(owed));
    exit(1);
  }
}

static int count_lines(const char *path) {
  FILE *file = path == NULL ? NULL : fopen(path, "r");
  int lines = 0;
  for (int c; file != NULL && (c = fgetc(file)) != EOF;) lines += c == '\n';
  return lines;
}

static void work(void) {
  for (int i = 0; i < STEPS; i++) {
    if (session[i].value == NULL) del(session[i].key);
    else put(session[i].key, session[i].value);
    printf("%s: %s\n", session[i].key, shown(session[i].value));
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  const char *command = argc > 2 ? argv[2] : "work";
  int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0644) : -1;
  if (fd < 0 || ftruncate(fd, sizeof *store) != 0) { perror("kv FILE [check | get KEY | put KEY VALUE | del KEY]"); return 2; }
  store = mmap(NULL, sizeof *store, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (store == MAP_FAILED) { perror("mmap"); return 2; }
  recover();
  if (strcmp(command, "check") == 0) check(count_lines(getenv("BLACKOUT_ACKED")));
  else if (strcmp(command, "get") == 0 && argc == 4) puts(shown(get(argv[3])));
  else if (strcmp(command, "put") == 0 && argc == 5) put(argv[3], argv[4]);
  else if (strcmp(command, "del") == 0 && argc == 4) del(argv[3]);
  else work();
  return 0;
}
