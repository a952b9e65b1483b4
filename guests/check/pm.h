/* What the guests here share: a file mapped as persistent memory, flushes and fences as instructions. */
#ifndef PM_H
#define PM_H
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef POOL_BYTES
#define POOL_BYTES 16384
#endif

static inline void *pm_map(const char *path) {
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, POOL_BYTES) != 0) { perror(path); exit(2); }
  void *pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pool == MAP_FAILED) { perror("mmap"); exit(2); }
  close(fd);
  return pool;
}
#define clwb(p) __asm__ volatile("clwb %0" : "+m"(*(volatile char *)(p)))
#define sfence() __asm__ volatile("sfence" ::: "memory")
#define persist(p) do { clwb(p); sfence(); } while (0)
#endif
