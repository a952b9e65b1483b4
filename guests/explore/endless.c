/*
 * Counters on lines of their own that nobody flushes, all of which recovery reads and any of which may be lost, and behind them a value
 * whose flag is persisted first. Nobody lives to see all combinations of the counters; the one lost line that is a mistake shows at a later
 * point. argv: "setup", "run" or "recover", the pool, how many counters.
 */
#include <string.h>
#include "../flush.h"

#define LINE 64

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int count = atoi(argv[3]);
  char *pool = map_pool(argv[2], (size_t)(count + 3) * LINE);
  volatile uint64_t *value = (volatile uint64_t *)pool, *flag = (volatile uint64_t *)(pool + LINE);
  if (strcmp(argv[1], "setup") == 0) return 0;
  if (strcmp(argv[1], "run") == 0) {
    for (int i = 2; i < count + 2; i++) *(volatile uint64_t *)(pool + LINE * i) = 1;
    volatile uint64_t *last = (volatile uint64_t *)(pool + LINE * (count + 2));
    *last = 1;
    clwb((void *)last);
    sfence();
    *value = 42;
    *flag = 1;
    clwb((void *)flag);
    sfence();
    clwb((void *)value);
    sfence();
    return 0;
  }
  uint64_t sum = 0;
  for (int i = 2; i < count + 2; i++) sum += *(volatile uint64_t *)(pool + LINE * i);
  return sum > (uint64_t)count || (*flag && *value != 42);
}
