/* A small pool in the file that the last argument names. */
#include <fcntl.h>
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define POOL_BYTES 4096

static uint64_t *pool_open(const char *path) {
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, POOL_BYTES)) _exit(2);
  void *pool = mmap(0, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pool == MAP_FAILED) _exit(2);
  return pool;
}

static void persist(void *address) {
  _mm_clflush(address);
  _mm_sfence();
}

static void store(uint64_t *cell, uint64_t value) {
  *(volatile uint64_t *)cell = value;
}
