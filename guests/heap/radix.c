/*
 * A radix tree whose nodes come from malloc, as in programs that were written for a heap in persistent memory: flushes are the
 * program's own, and the one thing it asks of its heap is a root. With MISTAKE an inner node is linked before it is flushed. Run as
 * "radix recover", it walks what is there.
 */
#include "../../include/blackout.h"
#include <stdio.h>
#include <string.h>

enum { levels = 4, fan = 4, keys = 6 };
enum { inner_kind = 0x1221, leaf_kind = 0x3443 };
struct node { long kind; struct node *child[fan]; };
struct leaf { long kind, key, value; };
struct root { struct node *top; char rest[56]; long count; };

static struct root *root;

static void flush(const void *start, size_t bytes) {
  for (const char *at = (const char *)((uintptr_t)start & ~63ul); at < (const char *)start + bytes; at += 64)
    __asm__ volatile("clflush %0" : "+m"(*(volatile char *)at)::"memory");
  __asm__ volatile("mfence" ::: "memory");
}
static struct node *new_node(void) {
  struct node *node = calloc(1, sizeof *node);
  node->kind = inner_kind;
#ifndef MISTAKE
  flush(node, sizeof *node);
#endif
  return node;
}
static struct leaf *new_leaf(long key) {
  struct leaf *leaf = malloc(sizeof *leaf);
  *leaf = (struct leaf){leaf_kind, key, 7 * key};
  flush(leaf, sizeof *leaf);
  return leaf;
}
static void link_to(struct node **place, void *child) {
  *(struct node *volatile *)place = child;
  flush(place, sizeof *place);
}
static void insert(long key) {
  struct node **place = &root->top;
  for (int level = 0; level < levels; level++) {
    if (*place == NULL) link_to(place, new_node());
    place = &(*place)->child[key >> (2 * (levels - 1 - level)) & (fan - 1)];
  }
  link_to(place, new_leaf(key));
}
/* How many leaves there are; a broken tree ends the program. */
static long walk(struct node *node, int level) {
  if (node == NULL) return 0;
  if (node->kind != (level < levels ? inner_kind : leaf_kind)) {
    fprintf(stderr, "a node at level %d was linked and is lost\n", level);
    exit(1);
  }
  if (level == levels) {
    const struct leaf *leaf = (struct leaf *)node;
    if (leaf->value != 7 * leaf->key) exit(1);
    return 1;
  }
  long count = 0;
  for (int i = 0; i < fan; i++) count += walk(node->child[i], level + 1);
  return count;
}
int main(int argc, char **argv) {
  root = blackout_root(0, sizeof *root);
  if (argc > 1 && strcmp(argv[1], "recover") == 0) {
    if (walk(root->top, 0) >= root->count) return 0;
    fprintf(stderr, "%ld keys were counted, and some are lost\n", root->count);
    return 1;
  }
  for (long i = 0; i < keys; i++) {
    insert(i * 41 % 256);
    root->count = i + 1;
    flush(&root->count, sizeof root->count);
  }
  printf("%ld keys\n", walk(root->top, 0));
  return 0;
}
