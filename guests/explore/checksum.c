/*
 * A record of 32 lines that a checksum guards: all of it is flushed behind one fence, and recovery takes it only if the
 * checksum is right. "careless" uses it although the checksum is wrong. argv: "setup", "run", "recover" or "careless", the pool.
 * "sum", "count" and "copy" read all of it as well, and are no checksums: they add it up, count what is wrong, or copy it.
 * INLINED: no function takes the checksum that could be found; ANNOTATED: it is said which one does.
 */
#include <string.h>
#include "../flush.h"

#define LINES 32
#define WORDS (LINES * 8)

#ifdef ANNOTATED
#include "../../include/blackout.h"
BLACKOUT_CHECKSUM(checked);
#endif

#ifdef INLINED
__attribute__((always_inline)) static inline
#else
__attribute__((noinline))
#endif
uint64_t checksum(volatile uint64_t *words, int count) {
  uint64_t sum = 0xcbf29ce484222325ull;
  for (int i = 0; i < count; i++) sum = (sum ^ words[i]) * 0x100000001b3ull;
  return sum;
}

__attribute__((noinline)) uint64_t sum_of(volatile uint64_t *words, int count) {
  uint64_t sum = 0;
  for (int i = 0; i < count; i++) sum += words[i];
  return sum;
}

__attribute__((noinline)) uint64_t wrong_in(volatile uint64_t *words, int count) {
  uint64_t wrong = 0;
  for (int i = 0; i < count; i++) wrong += words[i] != (uint64_t)i + 1;
  return wrong;
}

static uint64_t copied[WORDS];
__attribute__((noinline)) uint64_t copy_of(volatile uint64_t *words, int count) {
  for (int i = 0; i < count; i++) copied[i] = words[i];
  return copied[0] * 3 + copied[count - 1];
}

static int recover(volatile uint64_t *words, const char *how);

/* Does nothing else than to check: what is read in it is the checksum's. */
__attribute__((noinline)) int checked(volatile uint64_t *words) { return checksum(words, WORDS) == words[WORDS]; }

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
  return recover(words, argv[1]);
}

static int recover(volatile uint64_t *words, const char *how) {
  uint64_t total = (uint64_t)WORDS * (WORDS + 1) / 2;
  if (strcmp(how, "sum") == 0) return sum_of(words, WORDS) > total;
  if (strcmp(how, "count") == 0) return wrong_in(words, WORDS) > WORDS;
  if (strcmp(how, "copy") == 0) return copy_of(words, WORDS) > total * 4;
  int isRight = checked(words);
  if (!isRight && strcmp(how, "careless") != 0) return 0;
  if (!isRight && words[WORDS] == 0) return 0;
  for (int i = 0; i < WORDS; i++) if (words[i] != (uint64_t)i + 1) return 1;
  return 0;
}
