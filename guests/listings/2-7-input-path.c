/*
 * Whether persistent memory is changed depends on the input (Listing 2.7): one path only reads, the other one stores and
 * flushes, and the program exits without a fence. The argument picks the path.
 */
#include "../rules/pm.h"

static uint64_t read_word(const volatile uint64_t *words, int at) { return words[at]; }

static void write_word(volatile uint64_t *words, int at, uint64_t value) {
  words[at] = value;
  clwb(&words[at]); // expect: missing-fence (error) in write_word
}

int main(int argc, char **argv) {
  struct pool *pool = pm_map("/tmp/pool");
  int do_read = argc > 1 && argv[1][0] == 'r';
  if (do_read) printf("%lu\n", (unsigned long)read_word(pool->words, 3));
  else write_word(pool->words, 3, 42);
  exit(0);
}
