/* Stores that libpmem and libc make for the program: they are named by the pointer that was passed to them. */
#include <libpmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTLINE __attribute__((noipa))

struct record { uint64_t id; char text[48]; uint64_t sum; };
struct log { uint64_t length; struct record records[4]; char label[64]; };

OUTLINE static void append(struct log *log, const char *text, size_t n) {
  struct record *r = &log->records[log->length];
  pmem_memcpy_persist(r->text, text, n);                       // name: r->text or log->records[…].text; record.text, log.records[…].text
  r->sum = n;                                                  // name: r->sum or log->records[…].sum; record.sum, log.records[…].sum
  pmem_persist(&r->sum, sizeof r->sum);
  log->length++;                                               // name: log->length; log.length
  pmem_persist(&log->length, sizeof log->length);
}

OUTLINE static void clear(struct log *log) {
  pmem_memset_persist(log, 0, sizeof *log);                    // name: log->…; log.…
  memset(log->label, 'l', 40);                                 // name: log->label; log.label
  pmem_persist(log->label, 40);
}

OUTLINE static void whole(struct log *log, const struct record *from) {
  pmem_memmove_persist(&log->records[2], from, sizeof *from);  // name: log->records[2].…; log.records[2].…, record.…
  __asm__ volatile("");                                        /* no tail call */
}

OUTLINE static void title(struct log *log, int number) {
  snprintf(log->label, sizeof log->label, "number %d", number); // name: log->label…; log.label…
  pmem_persist(log->label, sizeof log->label);
}

int main(int argc, char **argv) {
  size_t size;
  int is_pmem;
  struct log *log = pmem_map_file(argc > 1 ? argv[1] : "/tmp/pool", 16384, PMEM_FILE_CREATE, 0600, &size, &is_pmem);
  if (log == NULL) return 2;
  static const struct record record = { 5, "five", 55 };
  clear(log);
  append(log, "one and a half dozen", 20);
  append(log, "two", 4);
  whole(log, &record);
  title(log, argc);
  return 0;
}
