/*
 * A B-tree of at most three keys a node: an insertion is one transaction, with the splits of full nodes on its way down; a
 * value is replaced by one store and pmemobj_persist. BUG picks a seeded mistake.
 */
#include "obj.h"

#define KEYS 3

TOID_DECLARE(struct node, 1);

struct node {
  uint64_t count, keys[KEYS], values[KEYS];
  TOID(struct node) children[KEYS + 1];
};
struct tree { TOID(struct node) root; };

static int is_leaf(const struct node *node) { return TOID_IS_NULL(node->children[0]); }

/* The full child at `at` gives its upper half to a new node and its middle key to the parent. */
static void split(struct node *parent, uint64_t at) {
  struct node *left = D_RW(parent->children[at]);
  TOID(struct node) added = TX_ZNEW(struct node);
  struct node *right = D_RW(added);
  right->count = 1;
  right->keys[0] = left->keys[2];
  right->values[0] = left->values[2];
  right->children[0] = left->children[2];
  right->children[1] = left->children[3];
#ifndef BUG_MISSING_ADD_PARENT
  TX_ADD_DIRECT(parent);
#endif
  for (uint64_t i = parent->count; i > at; i--) {
    parent->keys[i] = parent->keys[i - 1];
    parent->values[i] = parent->values[i - 1];
    parent->children[i + 1] = parent->children[i];
  }
  parent->keys[at] = left->keys[1];
  parent->values[at] = left->values[1];
  parent->children[at + 1] = added;
  parent->count++;
#ifndef BUG_MISSING_ADD_CHILD
  TX_ADD_DIRECT(&left->count);
#endif
  left->count = 1;
}

static void insert_below(struct node *node, uint64_t key, uint64_t value) {
  uint64_t at = 0;
  while (at < node->count && node->keys[at] < key) at++;
  if (!is_leaf(node)) {
    if (D_RO(node->children[at])->count == KEYS) {
      split(node, at);
      if (node->keys[at] < key) at++;
    }
    insert_below(D_RW(node->children[at]), key, value);
    return;
  }
  TX_ADD_DIRECT(node);
  for (uint64_t i = node->count; i > at; i--) {
    node->keys[i] = node->keys[i - 1];
    node->values[i] = node->values[i - 1];
  }
  node->keys[at] = key;
  node->values[at] = value;
  node->count++;
}

/* A root that is full gets a new root above it. */
static void raise(PMEMobjpool *pool, struct tree *tree) {
  TOID(struct node) above = TX_ZNEW(struct node);
  D_RW(above)->children[0] = tree->root;
#ifdef BUG_NON_ATOMIC
  tree->root = above;
  pmemobj_persist(pool, &tree->root, sizeof tree->root);
#else
  (void)pool;
  TX_ADD_DIRECT(&tree->root);
  tree->root = above;
#endif
}

static void insert(PMEMobjpool *pool, struct tree *tree, uint64_t key, uint64_t value) {
  TX_BEGIN(pool) {
    if (D_RO(tree->root)->count == KEYS) {
      raise(pool, tree);
      split(D_RW(tree->root), 0);
    }
    insert_below(D_RW(tree->root), key, value);
  }
  TX_END
}

static void replace(PMEMobjpool *pool, struct tree *tree, uint64_t key, uint64_t value) {
  struct node *node = D_RW(tree->root);
  for (uint64_t at = 0;; at = 0) {
    while (at < node->count && node->keys[at] < key) at++;
    if (at < node->count && node->keys[at] == key) {
      node->values[at] = value;
#ifndef BUG_LOST_ACK
      pmemobj_persist(pool, &node->values[at], sizeof value);
#else
      (void)pool;
#endif
      return;
    }
    node = D_RW(node->children[at]);
  }
}

static void prepare(PMEMobjpool *pool, void *root) {
  struct tree *tree = root;
  TX_BEGIN(pool) {
    TX_ADD_DIRECT(&tree->root);
    tree->root = TX_ZNEW(struct node);
  }
  TX_END
  for (uint64_t key = 2; key <= 6; key += 2) insert(pool, tree, key, 10 * key);
}

static void work(PMEMobjpool *pool, void *root) {
  static const uint64_t keys[] = {8, 7, 9};
  for (int i = 0; i < 3; i++) {
    insert(pool, root, keys[i], 10 * keys[i]);
    acknowledge();
  }
  replace(pool, root, 6, 61);
  acknowledge();
}

static int inspect_node(const struct node *node, uint64_t *nodes) {
  if (node->count == 0 || node->count > KEYS) fail(BROKEN, "a node has %lu keys", node->count);
  *nodes += 1;
  int depth = 0;
  for (uint64_t i = 0; i <= node->count; i++) {
    if (!is_leaf(node)) {
      int below = 1 + inspect_node(D_RO(node->children[i]), nodes);
      if (i > 0 && below != depth) fail(BROKEN, "leaves at depths %d and %d", depth, below);
      depth = below;
    }
    if (i < node->count) say("%lu=%lu", node->keys[i], node->values[i]);
  }
  return depth;
}

static void inspect(PMEMobjpool *pool, void *root) {
  const struct tree *tree = root;
  uint64_t nodes = 0, allocated = objects(pool);
  inspect_node(D_RO(tree->root), &nodes);
  if (nodes != allocated) fail(BROKEN, "%lu nodes linked, %lu allocated", nodes, allocated);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {
      "2=20 4=40 6=60",
      "2=20 4=40 6=60 8=80",
      "2=20 4=40 6=60 7=70 8=80",
      "2=20 4=40 6=60 7=70 8=80 9=90",
      "2=20 4=40 6=61 7=70 8=80 9=90",
      NULL,
  };
  static const struct guest guest = {sizeof(struct tree), prepare, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
