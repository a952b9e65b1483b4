/*
 * Cells of a persistent array with a log beside it that is written by file calls. Recovery reads the log's size, a header
 * of the pool by pread(2), one cell that the header names through a private mapping, and the rest only if a flag says so.
 */
#include "pm.h"
#include <sys/stat.h>

#define CELLS 4

struct pool {
  _Alignas(64) volatile uint64_t chosen;
  _Alignas(64) volatile uint64_t flag;
  struct { _Alignas(64) volatile uint64_t value; } cells[CELLS];
};

static void recover(const char *path, const char *log) {
  struct stat beside;
  if (stat(log, &beside) == 0) printf("log %ld\n", (long)beside.st_size);
  int fd = open(path, O_RDONLY);
  uint64_t chosen;
  if (pread(fd, &chosen, sizeof chosen, 0) != sizeof chosen) exit(3);
  struct pool *pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  if (chosen > CELLS) abort();
  if (chosen > 0) printf("cell %lu\n", (unsigned long)pool->cells[chosen - 1].value);
  pool->cells[0].value = 7;
  if (pool->flag)
    for (int i = 0; i < CELLS; i++) printf("%lu\n", (unsigned long)pool->cells[i].value);
  write(1, (void *)&pool->flag, 1);
  close(fd);
}

int main(int argc, char **argv) {
  const char *path = argv[argc - 1];
  char log[256];
  snprintf(log, sizeof log, "%s.log", path);
  int again = access(path, F_OK) == 0;
  struct pool *pool = pm_map(path);
  if (again) {
    recover(path, log);
    return 0;
  }
  for (uint64_t i = 0; i < CELLS; i++) {
    pool->cells[i].value = i + 10;
    persist(&pool->cells[i]);
    pool->chosen = i + 1;
    persist(&pool->chosen);
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(fd, "added\n", 6) != 6) return 4;
    close(fd);
    if (i == 2) pool->flag = 1;
  }
  persist(&pool->flag);
  return 0;
}
