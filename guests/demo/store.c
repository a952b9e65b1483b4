/*
 * A tiny key-value store in persistent memory: a log of records in a memory-mapped file, and a count that says how many
 * of them hold. A record is persisted before the count that publishes it, so that a crash loses at most the last one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

struct record {
  char key[24];
  char value[40];
};
struct store {
  unsigned long count;
  char rest_of_line[56];
  struct record records[1000];
};

static void persist(const void *start, size_t size) {
  for (const char *line = (const char *)((size_t)start & ~63ul); line < (const char *)start + size; line += 64)
    _mm_clflush(line);
  _mm_sfence();
}

static void put(struct store *store, const char *key, const char *value) {
  struct record *record = &store->records[store->count];
  snprintf(record->key, sizeof record->key, "%s", key);
  snprintf(record->value, sizeof record->value, "%s", value);
  persist(record, sizeof *record);
  store->count++;
  persist(&store->count, sizeof store->count);
}

static const char *get(const struct store *store, const char *key) {
  for (unsigned long i = store->count; i-- > 0;)
    if (!strcmp(store->records[i].key, key)) return store->records[i].value;
  return NULL;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "store.pm";
  int fd = open(path, O_RDWR | O_CREAT, 0644);
  if (fd < 0 || ftruncate(fd, sizeof(struct store))) {
    perror(path);
    return 1;
  }
  struct store *store = mmap(NULL, sizeof *store, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (store == MAP_FAILED) {
    perror("mmap");
    return 1;
  }
  printf("%lu records found in %s\n", store->count, path);
  for (int i = 0; i < 500; i++) {
    char key[24], value[40];
    snprintf(key, sizeof key, "lamp-%d", i % 40);
    snprintf(value, sizeof value, "%s since round %d", i % 3 ? "on" : "off", i);
    put(store, key, value);
  }
  printf("%lu records now; lamp-7 is %s, lamp-39 is %s\n", store->count, get(store, "lamp-7"), get(store, "lamp-39"));
  return 0;
}
