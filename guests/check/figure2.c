/*
 * The program of Mumak's Figure 2, by what its text says: persist() is reached from main directly and through a loop, and
 * main flushes and fences once by itself. From `#line` on lines have the figure's numbers.
 */
#include "pm.h"

#define KEPT __attribute__((noinline))
#define ROUNDS 20

#line 1 "figure2.c"
KEPT static void persist_word(volatile uint64_t *word) {
  clwb(word);
  sfence();
}

KEPT static void redundant_loop(volatile uint64_t *words) {
  for (int i = 0; i < ROUNDS; i++) { words[i] = 3;
    persist_word(&words[i]);
  }
}

int main(int argc, char **argv) {
  volatile uint64_t *words = pm_map(argv[argc - 1]);

  words[0] = 1;
  clwb(&words[0]);
  sfence();
  words[8] = 2;
  persist_word(&words[8]);
  redundant_loop(&words[16]);
  return 0;
}
