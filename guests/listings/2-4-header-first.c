/*
 * A pool is created: a header that says where the data begins, and the data (Listing 2.4). Everything is flushed and
 * fenced, so a trace shows no mistake; but the header is made valid before the data is, and a crash in between leaves a
 * header that promises what is not there. The mended twin persists the data first. `PROGRAM POOL check` recovers.
 */
#include "../rules/pm.h"

#define MAGIC 0x706f6f6c

struct header { _Alignas(64) volatile uint64_t magic, arenas; };
struct arena { _Alignas(64) volatile uint64_t type, bytes; };
struct file { struct header header; struct arena arenas[2]; };

static void make_header(struct file *file) {
  file->header.arenas = 2;
  file->header.magic = MAGIC;
  persist(&file->header);
}

static void make_arenas(struct file *file) {
  for (int i = 0; i < 2; i++) {
    file->arenas[i].type = 1;
    file->arenas[i].bytes = 4096;
    clwb(&file->arenas[i]);
  }
  sfence();
}

static void create(struct file *file) {
  make_header(file);
  make_arenas(file);
}

static void create_mended(struct file *file) {
  make_arenas(file);
  make_header(file);
}

static void recover(const struct file *file) {
  if (file->header.magic != MAGIC) return;
  for (uint64_t i = 0; i < file->header.arenas; i++)
    if (file->arenas[i].type != 1) { fprintf(stderr, "arena %lu has no type\n", (unsigned long)i); exit(3); }
}

int main(int argc, char **argv) {
  struct file *files = pm_map(argv[1]);
  if (argc > 2) {
    recover(&files[0]);
    recover(&files[1]);
    return 0;
  }
  create_mended(&files[0]);
  create(&files[1]);
  return 0;
}
