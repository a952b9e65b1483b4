/*
 * A B+-tree in persistent memory whose splits are undone after a crash from a log of the nodes they change. The log has
 * room for the nodes of a split that reaches a few levels up; longer splits spill into a second room, which only a tree of
 * tens of thousands of keys ever needs. `PROGRAM POOL KEYS` inserts, `PROGRAM POOL` recovers and looks at every key.
 * BUG_SPILL claims a place in the second room before the record in it is persisted.
 */
#define POOL_BYTES (16ul << 20)
#include "pm.h"

#define FANOUT 8
#define LEAF_KEYS 15
#define LEVELS 16
/* Nodes that the log holds without spilling: seven are enough for 95 572 keys. */
#ifndef ROOM
#define ROOM 7
#endif

struct node {
  volatile uint64_t leaf;
  volatile uint64_t used; /* children of an inner node, a bitmap of a leaf's keys */
  volatile uint64_t keys[LEAF_KEYS];
  volatile uint64_t children[LEAF_KEYS];
};
struct record { _Alignas(64) volatile uint64_t offset; struct node copy; };
struct tree {
  _Alignas(64) volatile uint64_t root, bytes;
  _Alignas(64) volatile uint64_t logged;
  _Alignas(64) volatile uint64_t old_root, old_bytes;
  struct record room[ROOM], second_room[LEVELS];
};

static struct tree *tree;

static struct node *at(uint64_t offset) { return (struct node *)((char *)tree + offset); }
static uint64_t offset_of(const void *p) { return (uint64_t)((const char *)p - (const char *)tree); }

static void flush(const volatile void *start, uint64_t bytes) {
  uint64_t end = (uint64_t)start + bytes;
  for (uint64_t line = (uint64_t)start & ~63ul; line < end; line += 64) clwb(line);
}
static void save(const volatile void *start, uint64_t bytes) { flush(start, bytes); sfence(); }

/* The log. A record counts once `logged` says so. */
static void fill(struct record *record, struct node *node) {
  record->copy = *node;
  record->offset = offset_of(node);
}
static void claim(void) {
  tree->logged++;
  persist(&tree->logged);
}
static void spill(struct node *node) {
  struct record *record = &tree->second_room[tree->logged - ROOM];
#ifdef BUG_SPILL
  claim();
#endif
  fill(record, node);
  save(record, sizeof *record);
#ifndef BUG_SPILL
  claim();
#endif
}
static void log_node(struct node *node) {
  if (tree->logged == 0) {
    tree->old_root = tree->root;
    tree->old_bytes = tree->bytes;
    persist(&tree->old_root);
  }
  if (tree->logged >= ROOM) { spill(node); return; }
  fill(&tree->room[tree->logged], node);
  save(&tree->room[tree->logged], sizeof(struct record));
  claim();
}
static void end_split(void) {
  persist(&tree->root);
  tree->logged = 0;
  persist(&tree->logged);
}
static void undo(void) {
  for (uint64_t i = tree->logged; i-- > 0;) {
    struct record *record = i < ROOM ? &tree->room[i] : &tree->second_room[i - ROOM];
    if (record->offset == 0) { fprintf(stderr, "record %lu names no node\n", (unsigned long)i); exit(3); }
    *at(record->offset) = record->copy;
    save(at(record->offset), sizeof(struct node));
  }
  if (tree->logged == 0) return;
  tree->root = tree->old_root;
  tree->bytes = tree->old_bytes;
  end_split();
}

static struct node *new_node(int leaf) {
  struct node *node = at(tree->bytes);
  if (tree->bytes + sizeof *node > POOL_BYTES) { fprintf(stderr, "the pool is full\n"); exit(2); }
  memset(node, 0, sizeof *node);
  node->leaf = leaf;
  tree->bytes += (sizeof *node + 63) & ~63ul;
  return node;
}

/* Moves the upper half of a full node into a new one; returns the key that parts them. */
static uint64_t split(struct node *node, struct node *right) {
  uint64_t half = node->leaf ? LEAF_KEYS / 2 : FANOUT / 2, all = node->leaf ? LEAF_KEYS : FANOUT;
  for (uint64_t i = half; i < all; i++) {
    right->keys[i - half] = node->keys[i];
    right->children[i - half] = node->children[i];
  }
  right->used = node->leaf ? (1ul << (all - half)) - 1 : all - half;
  node->used = node->leaf ? (1ul << half) - 1 : half;
  return right->keys[0];
}

static int is_full(const struct node *node) {
  return node->leaf ? node->used == (1ul << LEAF_KEYS) - 1 : node->used == FANOUT;
}

/* An inner node's child i holds the keys from its key i on. */
static void add_child(struct node *node, uint64_t key, const struct node *child) {
  uint64_t i = node->used;
  for (; i > 1 && node->keys[i - 1] > key; i--) {
    node->keys[i] = node->keys[i - 1];
    node->children[i] = node->children[i - 1];
  }
  node->keys[i] = key;
  node->children[i] = offset_of(child);
  node->used++;
}

/* Splits the full nodes at the end of a path, the uppermost first: a node then has room for what its child gives up. */
static void split_path(struct node **path, int depth, uint64_t key) {
  struct node *changed[2 * LEVELS];
  int top = depth, count = 0;
  while (top > 0 && is_full(path[top - 1])) top--;
  for (int level = top > 0 ? top - 1 : 0; level <= depth; level++) {
    log_node(path[level]);
    changed[count++] = path[level];
  }
  for (int level = top; level <= depth; level++) {
    struct node *right = new_node(path[level]->leaf), *parent = level > 0 ? path[level - 1] : new_node(0);
    uint64_t parting = split(path[level], right);
    if (level == 0) {
      add_child(parent, 0, path[0]);
      tree->root = offset_of(parent);
      changed[count++] = parent;
    }
    add_child(parent, parting, right);
    changed[count++] = right;
    if (key >= parting) path[level] = right;
  }
  for (int i = 0; i < count; i++) flush(changed[i], sizeof(struct node));
  sfence();
  end_split();
}

static int descend(struct node **path, uint64_t key) {
  int depth = 0;
  for (path[0] = at(tree->root); !path[depth]->leaf; depth++) {
    uint64_t i = path[depth]->used - 1;
    while (i > 0 && path[depth]->keys[i] > key) i--;
    path[depth + 1] = at(path[depth]->children[i]);
  }
  return depth;
}

static void insert(uint64_t key) {
  struct node *path[LEVELS];
  int depth = descend(path, key);
  if (is_full(path[depth])) split_path(path, depth, key);
  struct node *leaf = path[depth];
  int slot = __builtin_ctzl(~leaf->used);
  leaf->keys[slot] = key;
  save(&leaf->keys[slot], sizeof key);
  leaf->used |= 1ul << slot;
  persist(&leaf->used);
}

/* Returns how many keys there are from `low` to below `high`; all of them must be. */
static uint64_t count_keys(uint64_t offset, uint64_t low, uint64_t high) {
  const struct node *node = at(offset);
  uint64_t count = 0;
  if (!node->leaf) {
    for (uint64_t i = 0; i < node->used; i++)
      count += count_keys(node->children[i], i > 0 ? node->keys[i] : low, i + 1 < node->used ? node->keys[i + 1] : high);
    return count;
  }
  for (int slot = 0; slot < LEAF_KEYS; slot++) {
    if (!(node->used >> slot & 1)) continue;
    if (node->keys[slot] < low || node->keys[slot] >= high) { fprintf(stderr, "key %lu is in the wrong place\n", (unsigned long)node->keys[slot]); exit(4); }
    count++;
  }
  return count;
}

static void create(void) {
  tree->bytes = sizeof *tree;
  struct node *root = new_node(1);
  save(root, sizeof *root);
  tree->root = offset_of(root);
  persist(&tree->root);
}

int main(int argc, char **argv) {
  tree = pm_map(argv[1]);
  undo();
  if (argc == 2) {
    if (tree->root != 0) printf("%lu keys\n", (unsigned long)count_keys(tree->root, 0, ~0ul));
    return 0;
  }
  if (tree->root == 0) create();
  uint64_t keys = strtoul(argv[2], NULL, 10);
  for (uint64_t key = 0; key < keys; key++) insert(key);
  return 0;
}
