/* What the structures of the crash benches share: a pool sized for the work, flushes as instructions, the operations. */
#ifndef CHECK_POOL_H
#define CHECK_POOL_H
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE 64
#define clwb(p) __asm__ volatile("clwb %0" : "+m"(*(volatile char *)(p)))
#define sfence() __asm__ volatile("sfence" ::: "memory")
#define PAYLOAD(key, round) ((uint64_t)(key) << 32 | (uint32_t)(round))

/* Opens a pool of `bytes`; with 0, the one that is there, or none. */
static inline void *pool_map(const char *path, size_t bytes) {
  int fd = open(path, bytes ? O_RDWR | O_CREAT : O_RDWR, 0600);
  struct stat status;
  if (fd < 0 && bytes == 0) exit(0);
  if (fd < 0 || (bytes && ftruncate(fd, (off_t)bytes) != 0) || fstat(fd, &status) != 0) { perror(path); exit(2); }
  if (status.st_size == 0) exit(0);
  void *pool = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pool == MAP_FAILED) { perror("mmap"); exit(2); }
  close(fd);
  return pool;
}

static inline void broken(const char *what) { fprintf(stderr, "%s\n", what); exit(3); }

/* Keys are drawn from a quarter as many as there are operations. */
static inline uint64_t key_space(uint64_t operations) { return operations / 4 + 16; }
static inline uint64_t draw(uint64_t *state) {
  *state ^= *state << 13; *state ^= *state >> 7; *state ^= *state << 17;
  return *state;
}

void put(uint64_t key, uint64_t value);
uint64_t get(uint64_t key);
void del(uint64_t key);

/* As many puts as gets as deletes. */
static inline void work(uint64_t operations) {
  uint64_t state = 88172645463325252ull, space = key_space(operations);
  for (uint64_t i = 0; i < operations; i++) {
    uint64_t key = 2 + draw(&state) % space;
    if (i % 3 == 0) put(key, PAYLOAD(key, i));
    else if (i % 3 == 1) { if (get(key) != 0 && get(key) >> 32 != key) broken("a key has another's value"); }
    else del(key);
  }
}

/*
 * Puts the keys from 2 on and looks fifteen up after each, all under a lock that lives in the pool. Nobody flushes it unless
 * FLUSHED_LOCK is there: recovery takes it over, as in CCEH and P-CLHT.
 */
#define LOOKUPS 15
static inline void hold(volatile uint64_t *lock, uint64_t held) {
  *lock = held;
#ifdef FLUSHED_LOCK
  clwb(lock);
  sfence();
#endif
}
/* With a checksum of its key (FNV-1a). */
static inline uint64_t payload_of(uint64_t key) {
  uint32_t sum = 2166136261u;
  for (int byte = 0; byte < 8; byte++) sum = (sum ^ (uint8_t)(key >> 8 * byte)) * 16777619u;
  return PAYLOAD(key, sum);
}
static inline void fill(uint64_t keys, volatile uint64_t *lock) {
  for (uint64_t key = 2; key < keys + 2; key++) {
    hold(lock, 1);
    put(key, payload_of(key));
    hold(lock, 0);
    for (uint64_t i = 0; i < LOOKUPS; i++) {
      uint64_t seen = key - i % (key - 1);
      hold(lock, 1);
      if (get(seen) != payload_of(seen)) broken("a key has another's value");
      hold(lock, 0);
    }
  }
}
static inline void take_over(volatile uint64_t *lock) {
  if (*lock == 0) return;
  *lock = 0;
  clwb(lock);
  sfence();
}
#endif
