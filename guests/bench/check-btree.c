/*
 * A B-tree in persistent memory for the crash benches. `check-btree POOL N` does N operations, `check-btree POOL N keys` puts
 * N keys under a lock, `check-btree POOL` verifies the whole tree. Inserts and deletes copy the nodes on their path and persist them; then one store of the root makes the
 * new path count. A put of a key that is there stores its value in place.
 */
#include "check-pool.h"

#define KEYS 7
struct node { _Alignas(LINE) volatile uint64_t head; volatile uint64_t keys[KEYS], slots[KEYS + 1]; };
struct tree {
  _Alignas(LINE) volatile uint64_t root;
  _Alignas(LINE) volatile uint64_t lock;
  _Alignas(LINE) struct node nodes[];
};

/* A node before it is stored: room for one key too many. */
struct draft { int leaf, count; uint64_t keys[KEYS + 1], slots[KEYS + 2]; };
struct grown { uint64_t left, key, right; };

static struct tree *tree;
static uint64_t used = 1, *spare, spares, *old, olds;

static struct node *at(uint64_t number) { return &tree->nodes[number]; }
static int is_leaf(const struct node *node) { return node->head >> 32 != 0; }
static int count_of(const struct node *node) { return (int)(node->head & 0xffffffff); }

static struct draft load(uint64_t number) {
  struct node *node = at(number);
  struct draft draft = { .leaf = is_leaf(node), .count = count_of(node) };
  for (int i = 0; i < draft.count; i++) draft.keys[i] = node->keys[i];
  for (int i = 0; i < draft.count + !draft.leaf; i++) draft.slots[i] = node->slots[i];
  return draft;
}

static uint64_t store(const struct draft *draft, int from, int count) {
  uint64_t number = spares ? spare[--spares] : used++;
  struct node *node = at(number);
  node->head = (uint64_t)draft->leaf << 32 | (uint32_t)count;
  for (int i = 0; i < count; i++) node->keys[i] = draft->keys[from + i];
  for (int i = 0; i < count + !draft->leaf; i++) node->slots[i] = draft->slots[from + i];
  clwb(&node->head);
  clwb(&node->slots[0]);
  return number;
}

static struct grown place(const struct draft *draft) {
  if (draft->count <= KEYS) return (struct grown){ store(draft, 0, draft->count), 0, 0 };
  int half = draft->count / 2;
  uint64_t left = store(draft, 0, half);
  return (struct grown){ left, draft->keys[half], store(draft, half + !draft->leaf, draft->count - half - !draft->leaf) };
}

/* The child or slot that a key belongs to: keys not below a separator lie to its right. */
static int child_of(const struct node *node, uint64_t key) {
  int i = 0;
  while (i < count_of(node) && node->keys[i] <= key) i++;
  return i;
}
static int slot_of(const struct node *node, uint64_t key) {
  int i = 0;
  while (i < count_of(node) && node->keys[i] < key) i++;
  return i;
}

static struct grown insert(uint64_t number, uint64_t key, uint64_t value) {
  struct draft draft = load(number);
  old[olds++] = number;
  int i = draft.leaf ? slot_of(at(number), key) : child_of(at(number), key);
  struct grown grown = { value, key, 0 };
  if (!draft.leaf) {
    grown = insert(draft.slots[i], key, value);
    draft.slots[i] = grown.left;
    if (grown.right == 0) return place(&draft);
  }
  for (int j = draft.count; j > i; j--) draft.keys[j] = draft.keys[j - 1];
  for (int j = draft.count + !draft.leaf; j > i; j--) draft.slots[j] = draft.slots[j - 1];
  draft.keys[i] = grown.key;
  draft.slots[draft.leaf ? i : i + 1] = draft.leaf ? value : grown.right;
  draft.count++;
  return place(&draft);
}

static uint64_t without(uint64_t number, uint64_t key) {
  struct draft draft = load(number);
  old[olds++] = number;
  int i = draft.leaf ? slot_of(at(number), key) : child_of(at(number), key);
  if (!draft.leaf) {
    draft.slots[i] = without(draft.slots[i], key);
    return store(&draft, 0, draft.count);
  }
  draft.count--;
  for (int j = i; j < draft.count; j++) { draft.keys[j] = draft.keys[j + 1]; draft.slots[j] = draft.slots[j + 1]; }
  return store(&draft, 0, draft.count);
}

static volatile uint64_t *find(uint64_t key) {
  uint64_t number = tree->root;
  while (!is_leaf(at(number))) number = at(number)->slots[child_of(at(number), key)];
  int i = slot_of(at(number), key);
  return i < count_of(at(number)) && at(number)->keys[i] == key ? &at(number)->slots[i] : NULL;
}

/* The nodes that the new root needs are flushed; those that only the old one needed can be used again. */
static void publish(uint64_t root) {
  sfence();
  tree->root = root;
  clwb(&tree->root);
  sfence();
  while (olds) spare[spares++] = old[--olds];
}

void put(uint64_t key, uint64_t value) {
  volatile uint64_t *slot = find(key);
  if (slot) { *slot = value; clwb(slot); sfence(); return; }
  struct grown grown = insert(tree->root, key, value);
  struct draft top = { .count = 1, .keys = { grown.key }, .slots = { grown.left, grown.right } };
  publish(grown.right ? store(&top, 0, 1) : grown.left);
}
uint64_t get(uint64_t key) { volatile uint64_t *slot = find(key); return slot ? *slot : 0; }
void del(uint64_t key) { if (find(key)) publish(without(tree->root, key)); }

static void verify(uint64_t number, uint64_t low, uint64_t high, int depth) {
  struct node *node = at(number);
  if (depth > 40 || count_of(node) > KEYS) broken("a node is damaged");
  for (int i = 0; i < count_of(node); i++) {
    if (node->keys[i] < low || node->keys[i] >= high) broken("a key is out of order");
    if (is_leaf(node) && node->slots[i] >> 32 != node->keys[i]) broken("a key has another's value");
    if (!is_leaf(node)) verify(node->slots[i], i ? node->keys[i - 1] : low, node->keys[i], depth + 1);
  }
  if (!is_leaf(node)) verify(node->slots[count_of(node)], count_of(node) ? node->keys[count_of(node) - 1] : low, high, depth + 1);
}

int main(int argc, char **argv) {
  if (argc == 2) {
    tree = pool_map(argv[1], 0);
    if (tree->root == 0) return 0;
    take_over(&tree->lock);
    verify(tree->root, 0, ~0ull, 0);
    return 0;
  }
  uint64_t operations = strtoull(argv[2], NULL, 10), room = key_space(operations) + 1024;
  tree = pool_map(argv[1], sizeof(struct tree) + room * sizeof(struct node));
  spare = malloc(room * sizeof *spare);
  old = malloc(room * sizeof *old);
  struct draft empty = { .leaf = 1 };
  publish(store(&empty, 0, 0));
  if (argc > 3) fill(operations, &tree->lock);
  else work(operations);
  return 0;
}
