/* A table that is ready once a file beside it says so. BUG makes the file between the flushes and the fence. */
#include "hidden.h"

static void fill(volatile uint64_t *table, const char *marker) {
  for (uint64_t i = 0; i < 16; i++) table[i] = i + 1; /* blamed */
  flush((void *)table, 16 * sizeof *table);
#ifndef BUG
  fence();
#endif
  int fd = open(marker, O_WRONLY | O_CREAT, 0600);
  if (fd < 0) abort();
  close(fd);
  fence();
}

int main(int argc, char **argv) {
  char marker[256];
  snprintf(marker, sizeof marker, "%s.ready", argv[1]);
  volatile uint64_t *table = pm_map(argv[1]);
  if (!is_check(argc, argv)) {
    fill(table, marker);
    return 0;
  }
  if (access(marker, F_OK) != 0) return 0;
  for (uint64_t i = 0; i < 16; i++)
    if (table[i] != i + 1) fail(BROKEN, "the table is ready without entry %lu", i);
  return 0;
}
