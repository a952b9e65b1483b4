// A store to a mapped file that is made safe in one of the ways Linux has, or is not: the argument says how.
#define _GNU_SOURCE
#include "../rules/pm.h"
#include <errno.h>
#include <string.h>

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  int fd = open("/tmp/pool", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, POOL_BYTES) != 0) return 2;
  void *direct = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);
  printf("MAP_SYNC: %s\n", direct == MAP_FAILED ? strerror(errno) : "mapped");
  if (direct != MAP_FAILED) munmap(direct, POOL_BYTES);
  struct pool *pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pool == MAP_FAILED) return 3;
  pool->data = 1;
  msync(pool, 4096, MS_SYNC);
  pool->data = 2; // the store that is to be made safe
  if (strcmp(how, "flush") == 0) persist(&pool->data);
  if (strcmp(how, "async") == 0) msync(pool, 4096, MS_ASYNC);
  if (strcmp(how, "other") == 0) msync((char *)pool + 4096, 4096, MS_SYNC);
  if (strcmp(how, "sync") == 0) msync(pool, 4096, MS_SYNC);
  if (strcmp(how, "fsync") == 0) fsync(fd);
  if (strcmp(how, "fdatasync") == 0) fdatasync(fd);
  if (strcmp(how, "everything") == 0) sync();
  munmap(pool, POOL_BYTES);
  return 0;
}
