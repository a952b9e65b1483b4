/*
 * What the persistent structures here share. Persistent memory: a file, flushed by instructions or, with PM_LIBPMEM,
 * through libpmem. The judge: each operation prints a line when it is done, a run after a crash reads those lines from the
 * file that BLACKOUT_ACKED names, and the contents must be those after so many operations, or after the one under way.
 */
#ifndef STRUCTURE_H
#define STRUCTURE_H
#include <fcntl.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POOL_BYTES 16384
#define LINE 64

#ifdef PM_LIBPMEM
#include <libpmem.h>
static inline void *pm_map(const char *path) {
  void *pool = pmem_map_file(path, POOL_BYTES, PMEM_FILE_CREATE, 0600, NULL, NULL);
  if (pool == NULL) { perror(path); exit(2); }
  return pool;
}
#define flush(address, bytes) pmem_flush((address), (bytes))
#define fence() pmem_drain()
#define persist(address, bytes) pmem_persist((address), (bytes))
#else
#include "../flush.h"
static inline void *pm_map(const char *path) { return map_pool(path, POOL_BYTES); }
static inline void flush(const void *address, size_t bytes) {
  uintptr_t first = (uintptr_t)address & ~(uintptr_t)(LINE - 1);
  for (uintptr_t line = first; line < (uintptr_t)address + bytes; line += LINE) clwb(line);
}
static inline void fence(void) { sfence(); }
static inline void persist(const void *address, size_t bytes) {
  flush(address, bytes);
  fence();
}
#endif

enum { BROKEN = 3, HALF_DONE = 4, LOST = 5 };

__attribute__((noreturn, format(printf, 2, 3))) static inline void fail(int code, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(code);
}

/* Not through stdio: its locks are locked operations, and those complete flushes as a fence does. */
static inline void done(int operation) {
  char line[] = "done 00\n";
  line[5] += operation / 10;
  line[6] += operation % 10;
  if (write(1, line, sizeof line - 1) < 0) abort();
}

/* Operations that the crashed run had said were done; -1 when nobody knows. */
static inline int acknowledged(void) {
  const char *path = getenv("BLACKOUT_ACKED");
  int fd = path == NULL ? -1 : open(path, O_RDONLY);
  if (fd < 0) return -1;
  char text[1024];
  ssize_t length = read(fd, text, sizeof text);
  close(fd);
  int lines = 0;
  for (ssize_t i = 0; i < length; i++) lines += text[i] == '\n';
  return lines;
}

/* A structure on a pool, and the operations that a run performs on it. */
struct guest {
  int operations;
  /* Mends what a crash left; ends the program when that cannot be what the structure leaves. */
  void (*recover)(void *pool);
  void (*operate)(void *pool, int operation);
  /* Whether the contents are those after so many operations. */
  bool (*holds)(void *pool, int operations);
  void (*show)(void *pool);
};

/* How many operations the pool holds: all that were acknowledged, and perhaps the one that was under way. */
static inline int judge(const struct guest *guest, void *pool) {
  int acked = acknowledged();
  int least = acked < 0 ? 0 : acked;
  int most = acked < 0 || acked >= guest->operations ? guest->operations : acked + 1;
  for (int n = most; n >= least; n--)
    if (guest->holds(pool, n)) return n;
  for (int n = least - 1; n >= 0; n--)
    if (guest->holds(pool, n)) fail(LOST, "%d acknowledged, %d there", least, n);
  fail(HALF_DONE, "operation %d is half done", least);
}

/* Recovers and goes on to the last operation; with a second argument it recovers, judges nothing and shows the contents. */
static inline int drive(const struct guest *guest, int argc, char **argv) {
  void *pool = pm_map(argv[1]);
  guest->recover(pool);
  if (argc > 2) {
    guest->show(pool);
    return 0;
  }
  for (int n = judge(guest, pool); n < guest->operations; n++) {
    guest->operate(pool, n);
    done(n);
  }
  if (!guest->holds(pool, guest->operations)) fail(BROKEN, "the contents are wrong at the end");
  return 0;
}
#endif
