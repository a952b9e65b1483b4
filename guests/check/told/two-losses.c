/* One function, two flushes that are missing: a record's before it is counted, and the count's before the caller is told. */
#include "told.h"

struct log {
  OWN_LINE volatile long count;
  OWN_LINE volatile long record[8];
};

static void append(struct log *log, long value) {
  long at = log->count;
  log->record[at] = value;
#ifndef RECORD
  persist(&log->record[at]);
#endif
  log->count = at + 1;
#ifndef COUNT
  persist(&log->count);
#else
  clwb(&log->record[0]);
  sfence();
#endif
}

int main(int argc, char **argv) {
  struct log *log = told_pool(argv);
  if (is(argc, argv, "make")) return 0;
  if (is(argc, argv, "check")) {
    if (log->count < acknowledged()) return 1;
    for (long i = 0; i < log->count; i++)
      if (log->record[i] != i + 7) return 1;
    return 0;
  }
  for (long i = 0; i < 3; i++) {
    append(log, i + 7);
    done();
  }
  return 0;
}
