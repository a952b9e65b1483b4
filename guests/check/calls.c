/*
 * A pool that is stored to through its mapping and written to by calls: what calls leave is durable at once and in order, whatever the
 * mapping held there. argv: the pool, the way, and "make" for the
 * set-up or "check" for recovery. With BUG_EARLY the promise is printed before it is kept.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/sendfile.h>
#include "../flush.h"

#define POOL_BYTES 65536
#define RECORD 128
static const char *way;
#define IS(name) (strcmp(way, name) == 0)

static void persist(void *place) {
  clwb(place);
  sfence();
}

static void set(char *pool, int at, uint64_t value) { *(volatile uint64_t *)(pool + at) = value; }

static int acknowledged(void) {
  const char *path = getenv("BLACKOUT_ACKED");
  FILE *file = path == NULL ? NULL : fopen(path, "r");
  int number = 0;
  if (file != NULL && fscanf(file, "%d", &number) != 1) number = 0;
  return number;
}

/* The record is what was promised; zeros where it was to go, with what was stored beside it where it was to stay. */
static int check(const char *path) {
  uint64_t record[2] = {0, 0};
  int fd = open(path, O_RDONLY);
  if (acknowledged() == 0) return 0;
  if (fd < 0 || pread(fd, record, sizeof record, RECORD) < 0) return 3;
  uint64_t wanted = IS("cut") || IS("punched") ? 0 : 2;
  if (IS("fsync")) wanted = 1;
  uint64_t beside = IS("line") || IS("later") ? 7 : 0;
  if (record[0] == wanted && record[1] == beside) return 0;
  fprintf(stderr, "%d beside %d\n", (int)record[0], (int)record[1]);
  return 3;
}

static void promise(void) {
  if (write(1, "1\n", 2) != 2) exit(2);
}

static int copied(int fd, uint64_t value) {
  int from = memfd_create("value", 0);
  loff_t at = 0, to = RECORD;
  if (write(from, &value, 8) != 8) return 0;
  if (IS("sendfile")) return lseek(fd, RECORD, SEEK_SET) == RECORD && sendfile(fd, from, &at, 8) == 8;
  return copy_file_range(from, &at, fd, &to, 8, 0) == 8;
}

static int called(int fd, char *pool) {
  uint64_t two = 2;
  if (IS("cut")) return ftruncate(fd, 0) == 0 && ftruncate(fd, POOL_BYTES) == 0;
  if (IS("punched")) return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0;
  if (IS("fsync")) return munmap(pool, POOL_BYTES) == 0 && fsync(fd) == 0;
  if (IS("copied") || IS("sendfile")) return copied(fd, two);
  if (IS("write")) return lseek(fd, RECORD, SEEK_SET) == RECORD && write(fd, &two, 8) == 8;
  return pwrite(fd, &two, 8, RECORD) == 8;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  way = argv[2];
  if (argc > 3 && strcmp(argv[3], "check") == 0) return check(argv[1]);
  char *pool = map_pool(argv[1], POOL_BYTES);
  if (argc > 3) return 0;
  int fd = open(argv[1], O_RDWR);
  if (IS("line")) set(pool, RECORD + 8, 7);
  else if (!IS("later")) set(pool, RECORD, 1);
  if (!IS("line") && !IS("later") && !IS("fsync")) persist(pool + RECORD);
  if (IS("unmapped")) munmap(pool, POOL_BYTES);
#ifdef BUG_EARLY
  promise();
#endif
  if (!called(fd, pool)) return 2;
  if (IS("later")) {
    set(pool, RECORD + 8, 7);
    persist(pool + RECORD + 8);
  }
#ifndef BUG_EARLY
  promise();
#endif
  return 0;
}
