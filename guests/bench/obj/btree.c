/* A B-tree of up to seven keys a node: half of the operations insert or replace in a transaction, half look a key up. */
#include "bench.h"

#define KEYS 7
#define MIDDLE (KEYS / 2)

TOID_DECLARE(struct node, 1);

struct node {
  uint64_t count, keys[KEYS], values[KEYS];
  TOID(struct node) children[KEYS + 1];
};
struct tree { TOID(struct node) root; };

static int is_leaf(const struct node *node) { return TOID_IS_NULL(node->children[0]); }

static uint64_t place_of(const struct node *node, uint64_t key) {
  uint64_t at = 0;
  while (at < node->count && node->keys[at] < key) at++;
  return at;
}

static void shift(struct node *node, uint64_t at) {
  for (uint64_t i = node->count; i > at; i--) {
    node->keys[i] = node->keys[i - 1];
    node->values[i] = node->values[i - 1];
    node->children[i + 1] = node->children[i];
  }
  node->count++;
}

/* The full child at `at` gives its upper half to a new node and its middle key to the parent. */
static void split(struct node *parent, uint64_t at) {
  TOID(struct node) added = TX_ZNEW(struct node);
  struct node *left = D_RW(parent->children[at]), *right = D_RW(added);
  right->count = KEYS - MIDDLE - 1;
  for (uint64_t i = 0; i < right->count; i++) {
    right->keys[i] = left->keys[MIDDLE + 1 + i];
    right->values[i] = left->values[MIDDLE + 1 + i];
  }
  for (uint64_t i = 0; i <= right->count; i++) right->children[i] = left->children[MIDDLE + 1 + i];
  TX_ADD_DIRECT(parent);
  shift(parent, at);
  parent->keys[at] = left->keys[MIDDLE];
  parent->values[at] = left->values[MIDDLE];
  parent->children[at + 1] = added;
  TX_ADD_DIRECT(&left->count);
  left->count = MIDDLE;
}

static void insert_below(struct node *node, uint64_t key, uint64_t value) {
  for (;;) {
    uint64_t at = place_of(node, key);
    if (at < node->count && node->keys[at] == key) {
      TX_ADD_DIRECT(&node->values[at]);
      node->values[at] = value;
      return;
    }
    if (is_leaf(node)) {
      TX_ADD_DIRECT(node);
      shift(node, at);
      node->keys[at] = key;
      node->values[at] = value;
      return;
    }
    if (D_RO(node->children[at])->count == KEYS) split(node, at);
    else node = D_RW(node->children[at]);
  }
}

static void insert(PMEMobjpool *pool, struct tree *tree, uint64_t key, uint64_t value) {
  TX_BEGIN(pool) {
    if (TOID_IS_NULL(tree->root) || D_RO(tree->root)->count == KEYS) {
      TOID(struct node) top = TX_ZNEW(struct node);
      D_RW(top)->children[0] = tree->root;
      TX_ADD_DIRECT(&tree->root);
      int grows = !TOID_IS_NULL(tree->root);
      tree->root = top;
      if (grows) split(D_RW(top), 0);
    }
    insert_below(D_RW(tree->root), key, value);
  }
  TX_END
}

static uint64_t find(const struct tree *tree, uint64_t key) {
  for (TOID(struct node) here = tree->root; !TOID_IS_NULL(here);) {
    const struct node *node = D_RO(here);
    uint64_t at = place_of(node, key);
    if (at < node->count && node->keys[at] == key) return node->values[at];
    here = node->children[at];
  }
  return 0;
}

static uint64_t work(PMEMobjpool *pool, void *root, uint64_t operations) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < operations; i++) {
    uint64_t key = random_number() % operations + 1;
    if (i % 2 == 0) insert(pool, root, key, i);
    else sum += find(root, key);
  }
  return sum;
}

int main(int argc, char **argv) { return bench(argc, argv, sizeof(struct tree), work); }
