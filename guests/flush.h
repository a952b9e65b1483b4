/* What guests on raw flushes share: a file mapped as persistent memory, flushes and fences as instructions. */
#ifndef FLUSH_H
#define FLUSH_H
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void *map_pool(const char *path, size_t bytes) {
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) { perror(path); exit(2); }
  void *pool = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pool == MAP_FAILED) { perror("mmap"); exit(2); }
  close(fd);
  return pool;
}
#define clwb(p) __asm__ volatile("clwb %0" : "+m"(*(volatile char *)(p))::"memory")
#define clflushopt(p) __asm__ volatile("clflushopt %0" : "+m"(*(volatile char *)(p))::"memory")
#define clflush(p) __asm__ volatile("clflush %0" : "+m"(*(volatile char *)(p))::"memory")
#define sfence() __asm__ volatile("sfence" ::: "memory")
#endif
