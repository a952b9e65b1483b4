/*
 * A record is stored, the pool is mapped anew in one of several ways, and the record is flushed through the new mapping before
 * it is promised. argv: the pool and the way; recovery: the pool and "check". With BUG_EARLY it is promised without a flush.
 */
#define _GNU_SOURCE
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 16384
#define RECORDS 3
#define SHARED PROT_READ | PROT_WRITE, MAP_SHARED
static const char *way;
#define IS(name) (strcmp(way, name) == 0)

struct record { _Alignas(64) volatile uint64_t value; };

static int promised(void) {
  const char *path = getenv("BLACKOUT_ACKED");
  FILE *file = path == NULL ? NULL : fopen(path, "r");
  int count = 0;
  while (file != NULL && fgetc(file) != EOF) count++;
  return count;
}

static int check(const struct record *records) {
  for (int i = 0; i < promised(); i++)
    if (records[i].value != (uint64_t)i + 7) return 3;
  return 0;
}

static struct record *anew(struct record *old, int fd) {
  if (IS("fixed")) return mmap(old, POOL_BYTES, SHARED | MAP_FIXED, fd, 0);
  if (IS("fixedpage")) {
    mmap(old, 4096, SHARED | MAP_FIXED, fd, 0);
    return old;
  }
  if (IS("moved")) return mremap(old, POOL_BYTES, POOL_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)old - (1 << 20));
  if (IS("second")) return mmap(NULL, POOL_BYTES, SHARED, fd, 0);
  munmap(old, POOL_BYTES);
  return mmap(NULL, POOL_BYTES, SHARED, fd, 0);
}

int main(int argc, char **argv) {
  struct record *records = map_pool(argv[1], POOL_BYTES);
  way = argv[argc - 1];
  if (IS("check")) return check(records);
  int fd = open(argv[1], O_RDWR);
  for (int i = 0; i < RECORDS; i++) {
    records[i].value = i + 7;
    records = anew(records, fd);
#ifndef BUG_EARLY
    clwb(&records[i]);
#endif
    sfence();
    if (write(1, "y", 1) != 1) return 4;
  }
  return 0;
}
