/*
 * Creates its pool and fills it; a second word makes it the checker, which takes a pool without its magic number for damaged.
 * `new` only creates. BUG_ORDER counts an item before it is there, through the function that creation uses too;
 * BUG_CONSTRUCTOR does not persist the size before the magic number.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pm.h"

#define MAGIC 0x6c6f6f70
#define ITEMS 3

struct pool {
  uint64_t magic; char pad0[56];
  uint64_t size; char pad1[56];
  uint64_t count; char pad2[56];
  struct { uint64_t value; char pad[56]; } items[ITEMS];
};

static void put(uint64_t *where, uint64_t value) {
  *where = value;
  persist(where);
}

static void create(struct pool *pool) {
#ifdef BUG_CONSTRUCTOR
  pool->size = sizeof *pool;
#else
  put(&pool->size, sizeof *pool);
#endif
  put(&pool->magic, MAGIC);
}

static void fill(struct pool *pool) {
  for (uint64_t i = 0; i < ITEMS; i++) {
#ifdef BUG_ORDER
    put(&pool->count, i + 1);
    put(&pool->items[i].value, i + 1);
#else
    put(&pool->items[i].value, i + 1);
    put(&pool->count, i + 1);
#endif
  }
}

static int check(const struct pool *pool) {
  if (pool->magic != MAGIC) { puts("not a pool"); return 7; }
  if (pool->size != sizeof *pool) { puts("the size is wrong"); return 6; }
  for (uint64_t i = 0; i < pool->count; i++)
    if (pool->items[i].value != i + 1) { printf("item %d is missing\n", (int)i); return 8; }
  return 0;
}

int main(int argc, char **argv) {
  struct pool *pool = pm_map(argv[1]);
  const char *what = argc > 2 ? argv[2] : "";
  if (strcmp(what, "check") == 0) return check(pool);
  if (pool->magic != MAGIC) create(pool);
  if (strcmp(what, "new") != 0) fill(pool);
  return 0;
}
