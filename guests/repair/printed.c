/*
 * Mistakes as people write them, one of them in a run: `printed NAME POOL`, and `printed NAME POOL check` after a crash. What is
 * flushed too late, or not at all, must be durable before `full` says so.
 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void flush(const void *p, size_t n) {
  uintptr_t at = (uintptr_t)p & ~63ul;
  for (; at < (uintptr_t)p + n; at += 64) __asm__ volatile("clwb %0" : "+m"(*(volatile char *)at));
}
static void fence(void) { __asm__ volatile("sfence" ::: "memory"); }
static void persist(const void *p, size_t n) {
  flush(p, n);
  fence();
}

struct pool {
  uint64_t full, pad[7];
  uint64_t count, more[7];
  uint64_t version, rest[7];
};

/* Nothing after it in its block runs. */
static uint64_t returned(struct pool *pool) { return pool->count = 5; }
static int isCounted(const struct pool *pool) { return pool->count != 0; }

static void both(struct pool *pool) {
  pool->version = 1;
  returned(pool);
}
static int isBoth(const struct pool *pool) { return pool->count != 0 && pool->version != 0; }

/* A seqlock: what is written while the version is odd may be written back before the version is. */
static void versioned(struct pool *pool) {
  for (uint64_t i = 5; i < 7; i++) {
    pool->version++;
    pool->count = i;
    pool->more[0] = i;
    persist(&pool->count, 16);
    pool->version++;
    persist(&pool->version, sizeof pool->version);
  }
}
static int isSame(const struct pool *pool) { return pool->version % 2 == 1 || pool->count == pool->more[0]; }

static const struct {
  const char *name;
  void (*fill)(struct pool *);
  int (*isThere)(const struct pool *);
  /* Whether it has to hold before `full` says so, too. */
  int isAlways;
} rows[] = {
  { "returned", (void (*)(struct pool *))returned, isCounted },
  { "both", both, isBoth },
  { "versioned", versioned, isSame, 1 },
};

int main(int argc, char **argv) {
  int fd = open(argv[2], O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 2;
  struct pool *pool = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].name, argv[1]) != 0) continue;
    if (argc > 3) return (pool->full || rows[i].isAlways) && !rows[i].isThere(pool);
    rows[i].fill(pool);
    pool->full = 1;
    persist(&pool->full, sizeof pool->full);
    return 0;
  }
  return 3;
}
