/*
 * What the guests here share: "create" makes a pool and what the guest wants in it, "run" works on it, "check" opens it
 * after a crash, which lets libpmemobj recover, and judges. Work is a row of operations, each acknowledged by a line on
 * standard output. The contents after each of them are known as text: what the check finds must be one of these, and no
 * earlier one than BLACKOUT_ACKED says was acknowledged.
 */
#ifndef OBJ_H
#define OBJ_H
#include <libpmemobj.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct guest {
  size_t root_bytes;
  /* May be NULL. */
  void (*prepare)(PMEMobjpool *pool, void *root);
  void (*work)(PMEMobjpool *pool, void *root);
  /* Recovers what libpmemobj does not, checks what must always hold, and says the contents. */
  void (*inspect)(PMEMobjpool *pool, void *root);
  /* The contents at first and after each operation; NULL ends them. */
  const char *const *contents;
};

enum { NO_POOL = 2, BROKEN = 3, NOT_THERE = 5 };

__attribute__((noreturn, format(printf, 2, 3))) static void fail(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(code);
}

static char said[256];

/* Adds a word to the contents; what is too much is cut off. */
__attribute__((format(printf, 1, 2), unused)) static void say(const char *format, ...) {
  size_t length = strlen(said);
  if (length > 0 && length + 1 < sizeof said) said[length++] = ' ';
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(said + length, sizeof said - length, format, arguments);
  va_end(arguments);
}

static void acknowledge(void) {
  puts("done");
  fflush(stdout);
}

static uint64_t acknowledged(void) {
  const char *path = getenv("BLACKOUT_ACKED");
  FILE *file = path ? fopen(path, "r") : NULL;
  uint64_t lines = 0;
  if (!file) return 0;
  for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
  fclose(file);
  return lines;
}

/* Objects in the pool, the root left out. */
__attribute__((unused)) static uint64_t objects(PMEMobjpool *pool) {
  uint64_t count = 0;
  for (PMEMoid object = pmemobj_first(pool); !OID_IS_NULL(object); object = pmemobj_next(object)) count++;
  return count;
}

static void judge(const char *const *contents, uint64_t least) {
  uint64_t operations = 0;
  while (contents[operations] && strcmp(contents[operations], said) != 0) operations++;
  if (!contents[operations]) fail(BROKEN, "contents are (%s)", said);
  if (operations < least) fail(NOT_THERE, "%lu acknowledged, %lu there", least, operations);
}

static int run_guest(const struct guest *guest, int argc, char **argv) {
  if (argc != 3) fail(1, "usage: %s create|run|check POOL", argv[0]);
  const char *mode = argv[1], *path = argv[2];
  int creates = strcmp(mode, "create") == 0;
  PMEMobjpool *pool = creates ? pmemobj_create(path, "guest", PMEMOBJ_MIN_POOL, 0600) : pmemobj_open(path, "guest");
  if (!pool) fail(NO_POOL, "%s", pmemobj_errormsg());
  void *root = pmemobj_direct(pmemobj_root(pool, guest->root_bytes));
  if (creates && guest->prepare) guest->prepare(pool, root);
  if (strcmp(mode, "run") == 0) guest->work(pool, root);
  if (strcmp(mode, "check") == 0) {
    guest->inspect(pool, root);
    judge(guest->contents, acknowledged());
  }
  pmemobj_close(pool);
  return 0;
}
#endif
