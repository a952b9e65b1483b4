/* An array that begins on its header's line. BUG flushes that line alone, which is right for the first cells. */
#include "hidden.h"

struct array { alignas(LINE) volatile uint64_t cells[24]; alignas(LINE) volatile uint64_t count; };

static void append(struct array *array, uint64_t value) {
  uint64_t at = array->count;
  array->cells[at] = value; /* blamed */
#ifdef BUG
  persist((void *)array->cells, sizeof value);
#else
  persist((void *)&array->cells[at], sizeof value);
#endif
  array->count = at + 1;
  persist((void *)&array->count, sizeof array->count);
}

int main(int argc, char **argv) {
  struct array *array = pm_map(argv[1]);
  if (is_check(argc, argv)) {
    for (uint64_t i = 0; i < array->count; i++)
      if (array->cells[i] != i + 1) fail(LOST, "cell %lu is lost", i);
    return 0;
  }
  for (uint64_t i = 0; i < 20; i++) append(array, i + 1);
  close_pool(array);
  return 0;
}
