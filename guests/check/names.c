/*
 * A pool whose file gets other names while the program stores to it. argv: the pool and the way; recovery: the pool and
 * "check". Each record is promised by a byte of output. With BUG_EARLY it is promised, or renamed into place, before it is flushed.
 *   temporary  made under another name, renamed when complete, then used through the same mapping
 *   linked     recovery opens it by a second name
 *   symlink    opened by a symbolic link, which then goes; recovery uses the real name
 *   alias      recovery opens it by a symbolic link that the program makes
 *   replaced   each record is a new file, mapped under another name and renamed over the old one
 *   swapped    two pools exchange their names, and the second is stored to
 *   removed    the pool loses its name while it is mapped, and another file gets it, which is written by a call
 */
#define _GNU_SOURCE
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 8192
#define RECORDS 2
static const char *way;
#define IS(name) (strcmp(way, name) == 0)

struct record { _Alignas(64) volatile uint64_t value; };

static void fail(const char *what) {
  perror(what);
  exit(4);
}
#define TRY(call) do { if ((call) != 0) fail(#call); } while (0)

static const char *beside(const char *path, const char *suffix) {
  static char names[4][256];
  static int next;
  char *name = names[next++ % 4];
  snprintf(name, 256, "%s%s", path, suffix);
  return name;
}

static void flush(struct record *record) {
#ifndef BUG_EARLY
  clwb(record);
#endif
  (void)record;
  sfence();
}

static void promise(void) {
  if (write(1, "y", 1) != 1) fail("write");
}

static void fill(struct record *records, int from) {
  for (int i = from; i < RECORDS; i++) {
    records[i].value = i + 7;
    flush(&records[i]);
    promise();
  }
}

static int promised(void) {
  const char *path = getenv("BLACKOUT_ACKED");
  FILE *file = path == NULL ? NULL : fopen(path, "r");
  int count = 0;
  while (file != NULL && fgetc(file) != EOF) count++;
  return count;
}

/* Nothing but reading: recovery makes no pool. */
static int check(const char *path) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) return promised() == 0 ? 0 : 3;
  struct record records[RECORDS];
  memset((void *)records, 0, sizeof records);
  if (pread(fd, (void *)records, sizeof records, 0) < 0) fail("pread");
  for (int i = 0; i < promised(); i++)
    if (records[i].value != (uint64_t)i + 7) return 3;
  return 0;
}

static void replace(const char *path) {
  struct record *old = NULL;
  for (int i = 0; i < RECORDS; i++) {
    const char *temporary = beside(path, ".new");
    struct record *records = map_pool(temporary, POOL_BYTES);
    if (old != NULL) memcpy((void *)records, (void *)old, sizeof *old * RECORDS);
    records[i].value = i + 7;
    for (int each = 0; each <= i; each++) flush(&records[each]);
    TRY(rename(temporary, path));
    promise();
    old = records;
  }
}

static void remove_it(const char *path) {
  struct record *records = map_pool(path, POOL_BYTES);
  TRY(unlink(path));
  struct record right[RECORDS] = {{7}, {8}};
  records[0].value = 99;
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
#ifdef BUG_EARLY
  right[1].value = 98;
#endif
  if (pwrite(fd, (void *)right, sizeof right, 0) != sizeof right) fail("pwrite");
  records[0].value = 97;
  flush(records);
  promise();
  promise();
}

int main(int argc, char **argv) {
  const char *path = argv[1];
  way = argv[argc - 1];
  if (IS("check")) return check(path);
  if (IS("check-link")) return check(beside(path, ".link"));
  if (IS("temporary")) {
    const char *temporary = beside(path, ".new");
    struct record *records = map_pool(temporary, POOL_BYTES);
    records[0].value = 7;
    flush(&records[0]);
    TRY(rename(temporary, path));
    promise();
    fill(records, 1);
  } else if (IS("replaced")) {
    replace(path);
  } else if (IS("removed")) {
    remove_it(path);
  } else if (IS("swapped")) {
    struct record *first = map_pool(path, POOL_BYTES);
    struct record *second = map_pool(beside(path, ".link"), POOL_BYTES);
    first[0].value = 55;
    TRY(renameat2(AT_FDCWD, path, AT_FDCWD, beside(path, ".link"), RENAME_EXCHANGE));
    fill(second, 0);
  } else if (IS("symlink")) {
    close(open(path, O_RDWR | O_CREAT, 0600));
    TRY(symlink(path, beside(path, ".link")));
    struct record *records = map_pool(beside(path, ".link"), POOL_BYTES);
    TRY(unlink(beside(path, ".link")));
    fill(records, 0);
  } else {
    struct record *records = map_pool(path, POOL_BYTES);
    if (IS("linked")) TRY(link(path, beside(path, ".link")));
    else TRY(symlink(path, beside(path, ".link")));
    fill(records, 0);
  }
  return 0;
}
