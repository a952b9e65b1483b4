/*
 * A record of 32 lines that a checksum guards: all of it is flushed behind one fence, and recovery takes it only if the
 * checksum is right. "careless" uses it although the checksum is wrong. argv: "setup", "run", "recover" or "careless", the pool.
 */
#include <string.h>
#include "../flush.h"

#define LINES 32
#define WORDS (LINES * 8)

__attribute__((noinline)) uint64_t checksum(volatile uint64_t *words, int count) {
  uint64_t sum = 0xcbf29ce484222325ull;
  for (int i = 0; i < count; i++) sum = (sum ^ words[i]) * 0x100000001b3ull;
  return sum;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  volatile uint64_t *words = map_pool(argv[2], (LINES + 1) * 64);
  volatile uint64_t *sum = &words[WORDS];
  if (strcmp(argv[1], "setup") == 0) return 0;
  if (strcmp(argv[1], "run") == 0) {
    for (int i = 0; i < WORDS; i++) words[i] = (uint64_t)i + 1;
    *sum = checksum(words, WORDS);
    for (int line = 0; line <= LINES; line++) clwb(&words[8 * line]);
    sfence();
    return 0;
  }
  int isRight = checksum(words, WORDS) == *sum;
  if (!isRight && strcmp(argv[1], "careless") != 0) return 0;
  if (!isRight && *sum == 0) return 0;
  for (int i = 0; i < WORDS; i++) if (words[i] != (uint64_t)i + 1) return 1;
  return 0;
}
