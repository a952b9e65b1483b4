/*
 * N lines that are initialised behind a commit store, and a recovery that asks for the commit store first ("guarded") or
 * does not ("unguarded"). argv: "setup", "run", "guarded" or "unguarded", the pool, N.
 */
#include <string.h>
#include "../flush.h"

#define LINE 64

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int count = atoi(argv[3]);
  char *pool = map_pool(argv[2], (size_t)(count + 1) * LINE);
  volatile uint64_t *commit = (volatile uint64_t *)pool;
  if (strcmp(argv[1], "setup") == 0) return 0;
  if (strcmp(argv[1], "run") == 0) {
    for (int i = 1; i <= count; i++) *(volatile uint64_t *)(pool + LINE * i) = (uint64_t)i;
    for (int i = 1; i <= count; i++) clwb(pool + LINE * i);
    sfence();
    *commit = 1;
    clflush(commit);
    return 0;
  }
  if (strcmp(argv[1], "guarded") == 0 && *commit == 0) return 0;
  uint64_t sum = 0;
  for (int i = 1; i <= count; i++) sum += *(volatile uint64_t *)(pool + LINE * i);
  uint64_t all = (uint64_t)count * (count + 1) / 2;
  return strcmp(argv[1], "guarded") == 0 ? sum != all : sum > all;
}
