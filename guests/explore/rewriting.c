/*
 * Two balances behind an undo log, stored through a mapping; recovery puts them back by calls, before anything is mapped. argv: "setup",
 * "run" or the way to recover, the pool. It can be stopped anywhere and begun again if it clears the log last:
 * in-place: pwrite of each balance, then of the log. cleared: of the log first, which a second power cut shows.
 * renamed: a new file with all of it takes the pool's place. truncated: the pool is cut to nothing and written again from its end to its
 * beginning, which a second power cut shows. grown: a journal behind the old end says that the log is done. moved: the pool gets
 * another name before anything is read of it, and is not looked at again.
 */
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 4096
#define TOTAL 100

struct pool {
  uint64_t from;
  char gap[56];
  uint64_t to;
  char another[56];
  struct { uint64_t from, to, valid; } log;
};
enum { FROM = 0, TO = 64, LOG = 128, VALID = 144 };

static void persist(void *at) {
  clwb(at);
  sfence();
}

static void transfer(struct pool *pool, uint64_t amount) {
  pool->log.from = pool->from;
  pool->log.to = pool->to;
  persist(&pool->log);
  pool->log.valid = 1;
  persist(&pool->log);
  pool->to += amount;
  clwb(&pool->to);
  pool->from -= amount;
  clwb(&pool->from);
  sfence();
  pool->log.valid = 0;
  persist(&pool->log);
}

static uint64_t get(int fd, off_t at) {
  uint64_t value = 0;
  if (pread(fd, &value, sizeof value, at) < 0) exit(2);
  return value;
}
static void put(int fd, off_t at, uint64_t value) {
  if (pwrite(fd, &value, sizeof value, at) != sizeof value) exit(2);
}
static void put_all(int fd, uint64_t from, uint64_t to) {
  put(fd, POOL_BYTES - 8, 0);
  put(fd, TO, to);
  put(fd, FROM, from);
}

static void roll_back(const char *how, const char *path, int fd) {
  uint64_t from = get(fd, LOG), to = get(fd, LOG + 8);
  if (strcmp(how, "in-place") == 0) { put(fd, FROM, from); put(fd, TO, to); put(fd, VALID, 0); }
  if (strcmp(how, "cleared") == 0) { put(fd, VALID, 0); put(fd, FROM, from); put(fd, TO, to); }
  if (strcmp(how, "truncated") == 0) {
    if (ftruncate(fd, 0) != 0) exit(2);
    put_all(fd, from, to);
  }
  if (strcmp(how, "grown") == 0) { put(fd, FROM, from); put(fd, TO, to); put(fd, POOL_BYTES, 1); }
  if (strcmp(how, "renamed") == 0) {
    char fresh[256];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    int other = open(fresh, O_CREAT | O_TRUNC | O_RDWR, 0600);
    if (other < 0) exit(2);
    put_all(other, from, to);
    close(other);
    if (rename(fresh, path) != 0) exit(2);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  if (strcmp(argv[1], "setup") == 0 || strcmp(argv[1], "run") == 0) {
    struct pool *pool = map_pool(argv[2], POOL_BYTES);
    if (strcmp(argv[1], "setup") == 0) pool->from = TOTAL;
    else transfer(pool, 30);
    return 0;
  }
  char other[256];
  snprintf(other, sizeof other, "%s.old", argv[2]);
  int moves = strcmp(argv[1], "moved") == 0;
  if (moves) rename(argv[2], other);
  const char *path = moves ? other : argv[2];
  int fd = open(path, O_RDWR);
  if (fd < 0) return 2;
  if (get(fd, VALID) == 1 && get(fd, POOL_BYTES) == 0) roll_back(moves ? "in-place" : argv[1], path, fd);
  close(fd);
  fd = open(path, O_RDWR);
  if (get(fd, FROM) + get(fd, TO) != TOTAL) {
    fprintf(stderr, "%s:%d: balances do not add up\n", __FILE__, __LINE__);
    return 1;
  }
  return 0;
}
