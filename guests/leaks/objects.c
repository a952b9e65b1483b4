/*
 * Which objects of a pool nothing refers to, by libpmemobj's own walk through them: opens the pool, as a recovery would, and
 * prints offset and size of each. Words count as references as they are, and less each address that the pool is known to have
 * been mapped at.
 *   objects POOL LAYOUT [ADDRESS…]
 */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 4096

static struct { uint64_t offset, size; int reached; } objects[MOST];
static size_t count;

static int mark(uint64_t value) {
  for (size_t i = 0; i < count; i++)
    if (value - objects[i].offset < objects[i].size && !objects[i].reached) return objects[i].reached = 1;
  return 0;
}

int main(int argc, char **argv) {
  PMEMobjpool *pool = argc < 3 ? NULL : pmemobj_open(argv[1], argv[2]);
  if (pool == NULL) return 2;
  size_t size = pmemobj_root_size(pool);
  if (size > 0) {
    PMEMoid root = pmemobj_root(pool, size);
    objects[count].offset = root.off;
    objects[count].reached = 1;
    objects[count++].size = pmemobj_alloc_usable_size(root);
  }
  for (PMEMoid at = pmemobj_first(pool); !OID_IS_NULL(at) && count < MOST; at = pmemobj_next(at)) {
    objects[count].offset = at.off;
    objects[count++].size = pmemobj_alloc_usable_size(at);
  }
  /* Over and over, until a whole round reaches nothing new. */
  for (int news = 1; news;) {
    news = 0;
    for (size_t i = 0; i < count; i++) {
      if (!objects[i].reached) continue;
      const uint64_t *words = (const void *)((const char *)pool + objects[i].offset);
      for (size_t w = 0; w < objects[i].size / sizeof *words; w++) {
        news |= mark(words[w]) | mark(words[w] - (uint64_t)(uintptr_t)pool);
        for (int a = 3; a < argc; a++) news |= mark(words[w] - strtoull(argv[a], NULL, 0));
      }
    }
  }
  for (size_t i = 0; i < count; i++)
    if (!objects[i].reached) printf("%lu %lu\n", objects[i].offset, objects[i].size);
  pmemobj_close(pool);
  return 0;
}
