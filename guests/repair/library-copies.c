/*
 * What the C library copies into persistent memory, in a program that has libpmem's own copies at hand: `steps` says how many of
 * them are done, and is durable before they are.
 */
#include <libpmem.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct record {
  _Alignas(64) uint64_t steps;
  _Alignas(64) char name[64];
  char data[128];
  char blank[64];
};

static void step(struct record *record) {
  record->steps++;
  pmem_persist(&record->steps, sizeof record->steps);
}

static void fill(struct record *record, const char *name, const char *block) {
  strcpy(record->name, name);
  step(record);
  memcpy(record->data, block, sizeof record->data);
  step(record);
  memset(record->blank, '-', sizeof record->blank);
  step(record);
  memmove(record->data + 64, record->data, 64);
  step(record);
}

static int is_lost(const struct record *record, const char *block) {
  for (int i = 0; record->steps > 2 && i < 64; i++)
    if (record->blank[i] != '-') return 1;
  return (record->steps > 0 && strcmp(record->name, "persistent") != 0) ||
         (record->steps > 1 && memcmp(record->data, block, 64) != 0) ||
         (record->steps > 3 && memcmp(record->data + 64, block, 64) != 0);
}

int main(int argc, char **argv) {
  struct record *record = pmem_map_file(argv[1], 4096, PMEM_FILE_CREATE, 0600, NULL, NULL);
  if (record == NULL) { perror(argv[1]); return 2; }
  char block[128];
  for (int i = 0; i < 128; i++) block[i] = 'a' + i % 26;
  if (argc > 2) return is_lost(record, block);
  fill(record, "persistent", block);
  return 0;
}
