/*
 * Creates its pool, fills it and tells others so; a second word makes it the checker. One that is lenient takes a pool without its
 * magic number for one that is not there yet; with STRICT in the name of the variant, it takes it for damaged.
 *   BUG_LATE         printed before it is flushed            BUG_EARLY         printed before it is stored
 *   BUG_SIDE         a file says so before it is flushed     BUG_MAGIC         the magic number comes before the settings
 *   BUG_HANG         the checker waits for what is not there
 *   BUG_STRICT       no mistake                              BUG_STRICT_BANNER none, and a banner is printed at the start
 *   BUG_STRICT_LATE  printed before the magic is flushed     BUG_STRICT_NEVER  the magic is never flushed
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "pm.h"

#define MAGIC 0x676e6974746573
#if defined BUG_STRICT || defined BUG_STRICT_BANNER || defined BUG_STRICT_LATE || defined BUG_STRICT_NEVER
#define STRICT
#endif

struct settings {
  uint64_t magic, size; char pad[48];
  uint64_t values[8];
};

static void tell(const char *text) {
  if (write(1, text, strlen(text)) < 0) exit(2);
}

static int was_told(const char *side) {
#ifdef BUG_SIDE
  return access(side, F_OK) == 0;
#else
  char told[16] = "";
  const char *path = getenv("BLACKOUT_ACKED");
  int file = path == NULL ? -1 : open(path, O_RDONLY);
  if (file >= 0 && read(file, told, sizeof told - 1) < 0) return 0;
  return strstr(told, "ready") != NULL;
#endif
}

static int check(volatile struct settings *pool, const char *side) {
  if (pool->magic != MAGIC) {
#ifdef STRICT
    puts("not settings");
    return 7;
#endif
    if (was_told(side)) { puts("the settings are gone"); return 6; }
    return 0;
  }
#ifdef BUG_HANG
  while (pool->values[7] == 0) ; // waits
#endif
  for (uint64_t i = 0; i < 8; i++)
    if (pool->values[i] != i + 1) { printf("value %d is missing\n", (int)i); return 8; }
  return 0;
}

static void create(struct settings *pool, const char *side) {
#ifdef BUG_EARLY
  tell("ready\n"); // early
#endif
#if defined BUG_MAGIC || defined BUG_HANG
  pool->magic = MAGIC; // first
  persist(pool);
#endif
  for (uint64_t i = 0; i < 8; i++) pool->values[i] = i + 1; // value
  persist(pool->values); // values
  pool->size = sizeof *pool; // size
  pool->magic = MAGIC; // magic
#if defined BUG_LATE || defined BUG_STRICT_LATE
  tell("ready\n"); // told
#endif
#ifdef BUG_SIDE
  close(open(side, O_RDWR | O_CREAT, 0666));
#endif
#ifndef BUG_STRICT_NEVER
  persist(pool); // flushed
  tell("ready\n");
#endif
}

int main(int argc, char **argv) {
  char side[256];
  snprintf(side, sizeof side, "%s.side", argv[1]);
#ifdef BUG_STRICT_BANNER
  if (argc < 3) tell("settings 1.0\n");
#endif
  struct settings *pool = pm_map(argv[1]);
  if (argc > 2) return check(pool, side);
  create(pool, side);
  return 0;
}
