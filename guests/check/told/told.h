/*
 * What the guests here share: a pool of a page, `PROGRAM POOL make`, `PROGRAM POOL` and `PROGRAM POOL check`. A line is printed for what
 * is done; the check knows by BLACKOUT_ACKED how many there were.
 */
#ifndef TOLD_H
#define TOLD_H
#include <stdalign.h>
#include <string.h>
#include "../../flush.h"

#define OWN_LINE alignas(64)
#define persist(p) do { clwb(p); sfence(); } while (0)

static inline void *told_pool(char **argv) { return map_pool(argv[1], 4096); }
static inline int is(int argc, char **argv, const char *word) { return argc > 2 && strcmp(argv[2], word) == 0; }

static inline void done(void) {
  if (write(1, "done\n", 5) != 5) abort();
}
static inline int acknowledged(void) {
  char text[256];
  const char *path = getenv("BLACKOUT_ACKED");
  int fd = path == NULL ? -1 : open(path, O_RDONLY);
  ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text);
  if (fd >= 0) close(fd);
  return length < 0 ? 0 : (int)(length / 5);
}
#endif
