/*
 * memcpy fills persistent memory, and nobody flushes it (Listing 3.2). The stores are memcpy's; the fix belongs to its
 * caller, which alone knows that the destination is persistent.
 */
#include "../rules/pm.h"
#include <libpmem.h>
#include <string.h>

static void save(void *destination, const void *source, size_t length) {
  memcpy(destination, source, length); // expect: missing-flush (error) in save
}

static void save_mended(void *destination, const void *source, size_t length) {
  memcpy(destination, source, length);
  pmem_persist(destination, length);
}

int main(int argc, char **argv) {
  size_t mapped;
  int is_pmem;
  char *pool = pmem_map_file("/tmp/pool", POOL_BYTES, PMEM_FILE_CREATE, 0600, &mapped, &is_pmem);
  if (pool == NULL) { perror("pmem_map_file"); exit(2); }
  char text[100];
  memset(text, argc, sizeof text);
  save_mended(pool, text, sizeof text);
  save_mended(pool + 4096, text, sizeof text);
  text[0] = argv[0][0];
  save(pool, text, sizeof text);
  return 0;
}
