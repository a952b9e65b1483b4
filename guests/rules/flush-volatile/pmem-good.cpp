/* Only the mapped file is flushed. */
#include <libpmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool {
  alignas(64) volatile uint64_t data;
  alignas(64) volatile uint64_t flag;
  alignas(64) char text[256];
};

int main(void) {
  size_t length;
  int is_pmem;
  struct pool *pool = (struct pool *)pmem_map_file("/tmp/pool", 65536, PMEM_FILE_CREATE, 0600, &length, &is_pmem);
  if (pool == NULL || !is_pmem) { perror("pmem_map_file"); exit(2); }
  char *buffer = (char *)malloc(64);
  buffer[0] = 1;
  pool->data = buffer[0];
  pmem_persist((void *)&pool->data, 8);
  pmem_unmap(pool, length);
  return 0;
}
