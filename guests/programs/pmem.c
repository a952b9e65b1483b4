/* libpmem: maps a pool, stores by every kind of copy, persists, maps it again and checks. */
#include <libpmem.h>
#include <stdio.h>
#include <string.h>

#define SIZE (1 << 20)

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "pool";
  size_t length;
  int is_pmem;
  char *pool = pmem_map_file(path, SIZE, PMEM_FILE_CREATE, 0600, &length, &is_pmem);
  if (!pool) {
    printf("%s\n", pmem_errormsg());
    return 1;
  }
  printf("mapped %zu\n", length);
  for (int i = 0; i < 64; i++) {
    char line[256];
    snprintf(line, sizeof line, "record %d: %0*d", i, i + 1, i);
    pmem_memcpy_persist(pool + i * 1000, line, strlen(line) + 1);
  }
  pmem_memset_persist(pool + 100000, 0x5a, 70000);
  pmem_memmove_persist(pool + 100100, pool + 100000, 60000);
  pmem_memcpy(pool + 300000, pool, 64000, PMEM_F_MEM_NONTEMPORAL);
  pmem_memcpy(pool + 400001, pool + 3, 777, PMEM_F_MEM_TEMPORAL);
  pmem_drain();
  strcpy(pool + 500000, "flushed by hand");
  pmem_flush(pool + 500000, 16);
  pmem_drain();
  pmem_msync(pool, length);
  pmem_unmap(pool, length);
  pool = pmem_map_file(path, 0, 0, 0, &length, &is_pmem);
  if (!pool) return 2;
  unsigned long sum = 0;
  for (size_t i = 0; i < length; i++) sum = sum * 31 + (unsigned char)pool[i];
  printf("%s | %s | %s | %lx\n", pool + 63 * 1000, pool + 300000 + 5 * 1000, pool + 500000, sum);
  pmem_unmap(pool, length);
  return 0;
}
