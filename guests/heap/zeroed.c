/*
 * A constructor that stores a zero and does not flush it: with an allocator that happens to give zeros, nothing is lost. Run as
 * "zeroed recover", it looks at what is there.
 */
#include "../../include/blackout.h"
#include <stdint.h>

struct item { long kind; char gap[56]; long count; };
struct root { struct item *item; };

static void flush(const void *line) {
  __asm__ volatile("clflush %0" : "+m"(*(volatile char *)line)::"memory");
  __asm__ volatile("mfence" ::: "memory");
}

int main(int argc, char **argv) {
  (void)argv;
  struct root *root = blackout_root(0, sizeof *root);
  if (argc > 1) return root->item != NULL && root->item->count != 0;
  volatile struct item *item = malloc(sizeof *item);
  item->count = 0;
  item->kind = 1;
  flush((const void *)&item->kind);
  root->item = (struct item *)item;
  flush(root);
  return 0;
}
