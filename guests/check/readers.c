/*
 * Two words that have to be equal are changed one after the other, each persisted: recovery fails between the two though every store
 * is kept. How it reads them is the third argument's to say; each way has its lines marked.
 */
#include "../flush.h"
#include <string.h>

/* Volatile: what is read stays where it is read. */
struct pair { volatile uint64_t one; char apart[56]; volatile uint64_t other; char aside[56]; volatile uint64_t done; };

#define called static __attribute__((noinline))
#define inlined static inline __attribute__((always_inline))

static void persist(volatile void *word) {
  clwb(word);
  sfence();
}

called int compared(const struct pair *pair) {
  uint64_t one = pair->one; // compared reads
  uint64_t other = pair->other;
  return one == other;
} // compared is left

inlined int compared_inline(const struct pair *pair, volatile int *checks) {
  uint64_t one = pair->one; // compared_inline reads
  *checks += 1;
  int equal = one == pair->other;
  return *checks += 1, equal;
} // compared_inline is left

called uint64_t first_of(const struct pair *pair) { return pair->one; }

called int weighed(const struct pair *pair) {
  uint64_t one = first_of(pair); // weighed reads
  uint64_t other = pair->other;
  return one == other;
} // weighed is left

called uint64_t followed(const struct pair *pair) {
  uint64_t other = pair->other; // followed reads
  return other;
}

called int led(const struct pair *pair) {
  uint64_t one = pair->one; // led reads
  uint64_t other = followed(pair);
  return one == other;
} // led is left

called int refused(const struct pair *pair) {
  uint64_t one = pair->one; // refused reads
  if (one != pair->other) exit(1); // refused is left
  return 1;
}

called int taken_back(struct pair *pair) {
  if (pair->one != 0 && !pair->done) pair->one--; // taken_back changes
  pair->other = pair->one;
  return 1;
}

static int recovers(struct pair *pair, const char *how) {
  volatile int checks = 0;
  if (strcmp(how, "compared") == 0) return compared(pair);
  if (strcmp(how, "compared_inline") == 0) return compared_inline(pair, &checks);
  if (strcmp(how, "weighed") == 0) return weighed(pair);
  if (strcmp(how, "led") == 0) return led(pair);
  if (strcmp(how, "refused") == 0) return refused(pair);
  return taken_back(pair);
}

/* As many changes as a run had printed before the crash must be there. */
static int is_there(const struct pair *pair) {
  const char *path = getenv("BLACKOUT_ACKED");
  FILE *acked = path == NULL ? NULL : fopen(path, "r");
  uint64_t lines = 0;
  for (int letter = 0; acked != NULL && (letter = fgetc(acked)) != EOF;) lines += letter == '\n';
  return pair->one >= lines;
}

static void change(struct pair *pair) {
  pair->one = 1; // breaks
  persist(&pair->one);
  pair->other = 1; // mends
  persist(&pair->other);
}

static void change_at_once(struct pair *pair) {
  pair->one = 1;
  persist(&pair->one);
}

int main(int argc, char **argv) {
  struct pair *pair = map_pool(argv[1], 4096);
  if (argc > 3) return recovers(pair, argv[3]) && is_there(pair) ? 0 : 1;
  pair->done = 0;
  persist(&pair->done);
  if (argc > 2) change_at_once(pair);
  else change(pair);
  if (write(1, "done\n", 5) < 0) return 2;
  pair->done = 1;
  persist(&pair->done);
  return 0;
}
