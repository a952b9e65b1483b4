/*
 * A record of two words in one line, which is assigned as a whole. Without optimisation the compiler stores one word after the
 * other, in the order that they need, and a line keeps a prefix of its stores; with it, it makes one store of sixteen
 * bytes, which a crash can tear.
 */
#include "../flush.h"

struct record { uint64_t value, valid; };

__attribute__((noipa)) static void fill(struct record *record, const struct record *from) {
  *record = *from;
  clwb(record);
  sfence();
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  struct record *records = map_pool(argv[1], 4096);
  /* One to a line. */
  enum { STEP = 4 };
  if (argc > 2) {
    for (int i = 0; i < 4; i++)
      if (records[i * STEP].valid && records[i * STEP].value == 0) return 3;
    return 0;
  }
  for (int i = 0; i < 4; i++) {
    struct record from = {7 + (uint64_t)i, 1};
    fill(&records[i * STEP], &from);
  }
  return 0;
}
