// A record and the flag that makes it count, in a file. Run: synced POOL flush|sync, recovered with: synced POOL check.
// flush: the record is flushed before the flag is stored, which is right in persistent memory with direct access and does
// nothing for an ordinary file. sync: msync comes in between, which is right for both.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct pool {
  long record;
  char pad[56];
  long full;
};

static void flush(const void *at) { __asm__ volatile("clflush %0\n\tsfence" : : "m"(*(const char *)at) : "memory"); }

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int file = open(argv[1], O_RDWR | O_CREAT, 0644);
  if (file < 0 || ftruncate(file, 4096) != 0) return 2;
  volatile struct pool *pool = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (pool == MAP_FAILED) return 2;
  if (strcmp(argv[2], "check") == 0) {
    if (pool->full && pool->record != 42) {
      puts("full, but there is no record");
      return 1;
    }
    return 0;
  }
  int syncs = strcmp(argv[2], "sync") == 0;
  pool->record = 42;
  flush((const void *)&pool->record);
  if (syncs) msync((void *)pool, 4096, MS_SYNC);
  pool->full = 1;
  flush((const void *)&pool->full);
  if (syncs) msync((void *)pool, 4096, MS_SYNC);
  return 0;
}
