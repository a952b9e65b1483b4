/*
 * Flushes and fences that nobody needs, and some that only look so: the run calls all of them needless, but a path that it does not take
 * stores before the last one.
 */
#include "../check/structure.h"

struct pair {
  alignas(LINE) uint64_t first;
  alignas(LINE) uint64_t second;
};

static void fill(struct pair *pair, uint64_t value) {
  pair->first = value;
  flush(&pair->first, sizeof pair->first);
  flush(&pair->first, sizeof pair->first);
  fence();
  if (value > 1)
    persist(&pair->first, sizeof pair->first);
  else
    fence();
  fence(); // once more
  pair->second = value;
  persist(&pair->second, sizeof pair->second);
}

static void refill(struct pair *pair, uint64_t value) {
  persist(&pair->first, sizeof pair->first);
  if (value > 100) {
    pair->first = value;
    flush(&pair->first, sizeof pair->first);
  }
  fence();
}

int main(int argc, char **argv) {
  struct pair *pair = pm_map(argv[1]);
  if (argc > 2) return pair->second > pair->first;
  fill(pair, 1);
  fill(pair, 2);
  refill(pair, 3);
  return pair->second > pair->first;
}
