/* pmem_flush with pmem_drain. */
#include <libpmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool {
  _Alignas(64) volatile uint64_t data;
  _Alignas(64) volatile uint64_t flag;
  _Alignas(64) char text[256];
};

int main(void) {
  size_t length;
  int is_pmem;
  struct pool *pool = (struct pool *)pmem_map_file("/tmp/pool", 65536, PMEM_FILE_CREATE, 0600, &length, &is_pmem);
  if (pool == NULL || !is_pmem) { perror("pmem_map_file"); exit(2); }
  pool->data = 1;
  pmem_flush((void *)&pool->data, 8);
  pmem_drain();
  pmem_unmap(pool, length);
  return 0;
}
