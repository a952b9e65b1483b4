/*
 * A persistent B-tree that is never changed in place: an operation writes the nodes on its path anew, splitting those that
 * are full, and one store to the root makes them the tree. Nodes that the root does not reach are free; recovery finds
 * them. BUG picks a seeded mistake.
 */
#include "keyed.h"

#define FANOUT 3
#define NODES 60
#define DEPTH 8

/* Nodes are named by 1 and their number. An inner node's key is the smallest below the child, but for the first. */
struct node { alignas(LINE) uint64_t leaf; uint64_t count, keys[FANOUT], below[FANOUT]; };
struct tree {
  alignas(LINE) uint64_t root;
  struct node nodes[NODES];
};

static bool used[NODES];
/* Nodes of the old path, free as soon as the root has left them. */
static uint64_t left_behind[DEPTH];
static int left_count;

static struct node *at(struct tree *tree, uint64_t name) { return &tree->nodes[name - 1]; }

static uint64_t allocate(void) {
  for (uint64_t i = 0; i < NODES; i++)
    if (!used[i]) return used[i] = true, i + 1;
  fail(BROKEN, "no node is free");
}

static void leave(uint64_t name) {
  left_behind[left_count++] = name;
}

static uint64_t write_node(struct tree *tree, const struct node *contents) {
#ifdef BUG_EARLY_FREE
  /* Takes nodes of the old path, which the root still names. */
  uint64_t name = left_count > 0 ? left_behind[--left_count] : allocate();
#else
  uint64_t name = allocate();
#endif
  *at(tree, name) = *contents;
  flush(at(tree, name), sizeof(struct node));
  return name;
}

/* What takes a node's place: one node, or two of which the second starts at a key. */
struct written { uint64_t first, second, key; };

/* A node with one entry too many is written as two. */
struct wide { uint64_t leaf, count, keys[FANOUT + 1], below[FANOUT + 1]; };

static uint64_t write_part(struct tree *tree, const struct wide *wide, uint64_t from, uint64_t to) {
  struct node part = {.leaf = wide->leaf, .count = to - from};
  memcpy(part.keys, wide->keys + from, part.count * sizeof *part.keys);
  memcpy(part.below, wide->below + from, part.count * sizeof *part.below);
#ifdef BUG_MISSING_FLUSH
  if (from != 0) {
    uint64_t name = allocate();
    *at(tree, name) = part;
    return name;
  }
#endif
  return write_node(tree, &part);
}

static struct written write_wide(struct tree *tree, const struct wide *wide) {
  if (wide->count <= FANOUT) return (struct written){write_part(tree, wide, 0, wide->count), 0, 0};
  uint64_t middle = wide->count / 2;
  uint64_t first = write_part(tree, wide, 0, middle);
  return (struct written){first, write_part(tree, wide, middle, wide->count), wide->keys[middle]};
}

static struct wide widen(const struct node *node) {
  struct wide wide = {.leaf = node->leaf, .count = node->count};
  memcpy(wide.keys, node->keys, sizeof node->keys);
  memcpy(wide.below, node->below, sizeof node->below);
  return wide;
}

static void insert_at(struct wide *wide, uint64_t i, uint64_t key, uint64_t below) {
  memmove(wide->keys + i + 1, wide->keys + i, (wide->count - i) * sizeof *wide->keys);
  memmove(wide->below + i + 1, wide->below + i, (wide->count - i) * sizeof *wide->below);
  wide->keys[i] = key;
  wide->below[i] = below;
  wide->count++;
}

static void remove_at(struct wide *wide, uint64_t i) {
  wide->count--;
  memmove(wide->keys + i, wide->keys + i + 1, (wide->count - i) * sizeof *wide->keys);
  memmove(wide->below + i, wide->below + i + 1, (wide->count - i) * sizeof *wide->below);
}

static void change_leaf(struct wide *wide, uint64_t key, uint64_t value) {
  uint64_t i = 0;
  while (i < wide->count && wide->keys[i] < key) i++;
  bool there = i < wide->count && wide->keys[i] == key;
  if (there && value == 0) remove_at(wide, i);
  else if (there) wide->below[i] = value;
  else if (value != 0) insert_at(wide, i, key, value);
}

static uint64_t child_of(const struct node *node, uint64_t key) {
  uint64_t i = node->count - 1;
  while (i > 0 && node->keys[i] > key) i--;
  return i;
}

/* The value 0 takes the key out. Leaves may become empty. */
static struct written change(struct tree *tree, uint64_t name, int depth, uint64_t key, uint64_t value) {
  if (depth > DEPTH) fail(BROKEN, "the tree has no leaves");
  const struct node *node = at(tree, name);
  struct wide wide = widen(node);
  if (node->leaf) {
    change_leaf(&wide, key, value);
#ifdef BUG_NON_ATOMIC
    if (wide.count <= FANOUT) {
      struct node *here = at(tree, name);
      here->count = wide.count;
      memcpy(here->keys, wide.keys, sizeof here->keys);
      memcpy(here->below, wide.below, sizeof here->below);
      persist(here, sizeof *here);
      return (struct written){name, 0, 0};
    }
#endif
    leave(name);
    return write_wide(tree, &wide);
  }
  uint64_t i = child_of(node, key);
  struct written child = change(tree, node->below[i], depth + 1, key, value);
  wide.below[i] = child.first;
  if (child.second != 0) insert_at(&wide, i + 1, child.key, child.second);
  leave(name);
  return write_wide(tree, &wide);
}

static void set_root(struct tree *tree, uint64_t root) {
#ifndef BUG_MISSING_FENCE
  fence();
#endif
  tree->root = root;
#ifdef BUG_LOST_ACK
  flush(&tree->root, sizeof tree->root);
#else
  persist(&tree->root, sizeof tree->root);
#endif
  while (left_count > 0) used[left_behind[--left_count] - 1] = false;
}

static void put(struct tree *tree, uint64_t key, uint64_t value) {
  if (tree->root == 0) {
    set_root(tree, write_node(tree, &(struct node){.leaf = true, .count = 1, .keys = {key}, .below = {value}}));
    return;
  }
  struct written top = change(tree, tree->root, 1, key, value);
  uint64_t root = top.first;
#ifdef BUG_WRONG_ORDER
  /* The tree is its left half until the new root above both halves is written. */
  if (top.second != 0) {
    fence();
    tree->root = top.first;
    persist(&tree->root, sizeof tree->root);
  }
#endif
  if (top.second != 0) {
    const struct node above = {.leaf = false, .count = 2, .keys = {0, top.key}, .below = {top.first, top.second}};
    root = write_node(tree, &above);
  }
  set_root(tree, root);
}

static uint64_t get(struct tree *tree, uint64_t key) {
  if (tree->root == 0) return 0;
  struct node *node = at(tree, tree->root);
  while (!node->leaf) node = at(tree, node->below[child_of(node, key)]);
  for (uint64_t i = 0; i < node->count; i++)
    if (node->keys[i] == key) return node->below[i];
  return 0;
}

static void mark(struct tree *tree, uint64_t name, uint64_t low, uint64_t high) {
  if (name == 0 || name > NODES) fail(BROKEN, "node %d is named", (int)name);
  if (used[name - 1]) fail(BROKEN, "node %d is named twice", (int)name);
  used[name - 1] = true;
  const struct node *node = at(tree, name);
  if (node->count > FANOUT || (!node->leaf && node->count == 0)) fail(BROKEN, "a node has %d entries", (int)node->count);
  for (uint64_t i = 0; i < node->count; i++) {
    if (node->leaf && (node->keys[i] < low || node->keys[i] >= high)) fail(BROKEN, "key %d is astray", (int)node->keys[i]);
#ifdef BUG_RECOVERY
    if (i + 1 == node->count) continue;
#endif
    if (!node->leaf)
      mark(tree, node->below[i], i == 0 ? low : node->keys[i], i + 1 < node->count ? node->keys[i + 1] : high);
  }
}

static void recover(void *pool) {
  struct tree *tree = pool;
  if (tree->root != 0) mark(tree, tree->root, 1, KEYS);
}

static void operate(void *pool, int operation) {
  const struct operation *next = &workload[operation];
  put(pool, next->key, next->value);
}

static bool holds(void *pool, int operations) {
  for (uint64_t key = 1; key < KEYS; key++)
    if (get(pool, key) != expected(operations, key)) return false;
  return true;
}

static void show(void *pool) {
  for (uint64_t key = 1; key < KEYS; key++)
    if (get(pool, key) != 0) printf("%d=%d\n", (int)key, (int)get(pool, key));
}

int main(int argc, char **argv) {
  const struct guest guest = {OPERATIONS, recover, operate, holds, show};
  return drive(&guest, argc, argv);
}
