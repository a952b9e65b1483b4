// A store to a mapped file that is made safe in one of the ways Linux has, or is not: the argument says how.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { pool_bytes = 65536 };
struct pool {
  volatile uint64_t data;
};

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  int fd = open("/tmp/pool", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, pool_bytes) != 0) return 2;
  void *direct = mmap(NULL, pool_bytes, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);
  printf("MAP_SYNC: %s\n", direct == MAP_FAILED ? strerror(errno) : "mapped");
  if (direct != MAP_FAILED) munmap(direct, pool_bytes);
  struct pool *pool = mmap(NULL, pool_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pool == MAP_FAILED) return 3;
  pool->data = 1;
  msync(pool, 4096, MS_SYNC);
  pool->data = 2; // the store that is to be made safe
  if (strcmp(how, "flush") == 0) __asm__ volatile("clwb %0\n\tsfence" : "+m"(pool->data) : : "memory");
  if (strcmp(how, "async") == 0) msync(pool, 4096, MS_ASYNC);
  if (strcmp(how, "other") == 0) msync((char *)pool + 4096, 4096, MS_SYNC);
  if (strcmp(how, "sync") == 0) msync(pool, 4096, MS_SYNC);
  if (strcmp(how, "fsync") == 0) fsync(fd);
  if (strcmp(how, "fdatasync") == 0) fdatasync(fd);
  if (strcmp(how, "everything") == 0) sync();
  munmap(pool, pool_bytes);
  return 0;
}
