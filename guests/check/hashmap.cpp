/*
 * A persistent hash map: chains of nodes below a table of buckets, which is replaced by a larger one when it is full. Each
 * change counts from one store on: to a bucket, a link, a value or the table's offset. Which nodes are free is not kept,
 * recovery finds it out. BUG picks a seeded mistake.
 */
#include "keyed.h"

template <typename Key, typename Value> class HashMap {
  struct Node { alignas(LINE) Key key; Value value; uint64_t next; };
  struct Table { alignas(LINE) uint64_t size; alignas(LINE) uint64_t buckets[16]; };
  static constexpr uint64_t firstSize = 4, nodeCount = 24;

  /* 0, or 1 and the number of the table in use. */
  alignas(LINE) uint64_t current;
#ifdef BUG_NON_ATOMIC_GROW
  alignas(LINE) uint64_t sizeApart;
#endif
  Table tables[2];
  Node nodes[nodeCount];
  static inline bool used[nodeCount];
  static inline uint64_t lastFreed;

  template <typename Field> static void settle(const Field &field) { persist(&field, sizeof field); }

  Table &table() { return tables[current - 1]; }
#ifdef BUG_NON_ATOMIC_GROW
  uint64_t size() { return sizeApart; }
#else
  uint64_t size() { return table().size; }
#endif
  uint64_t &bucket(Key key) { return table().buckets[key % size()]; }

  /* Nodes are named by 1 and their number. */
  Node &node(uint64_t name) { return nodes[name - 1]; }

  uint64_t allocate() {
    for (uint64_t i = 0; i < nodeCount; i++)
      if (uint64_t at = (lastFreed + i) % nodeCount; !used[at]) return used[at] = true, at + 1;
    fail(BROKEN, "no node is free");
  }

  void release(uint64_t name) {
    lastFreed = name - 1;
    used[lastFreed] = false;
  }

  uint64_t *linkTo(Key key) {
    uint64_t *link = &bucket(key);
    while (*link != 0 && node(*link).key != key) link = &node(*link).next;
    return link;
  }

  /* The node is whole before the bucket names it. */
  void insert(Key key, Value value) {
    uint64_t name = allocate(), &head = bucket(key);
#ifdef BUG_WRONG_ORDER
    uint64_t rest = head;
    head = name;
    settle(head);
    node(name) = {key, value, rest};
    settle(node(name));
#else
    node(name) = {key, value, head};
#ifndef BUG_MISSING_FLUSH
    flush(&node(name), sizeof(Node));
#endif
#ifndef BUG_MISSING_FENCE
    fence();
#endif
    head = name;
    settle(head);
#endif
  }

  /* A table of twice the size with copies of all nodes; one store puts it in place of the old. */
  void grow() {
    Table &old = table(), &larger = tables[2 - current];
    uint64_t oldSize = size();
    larger.size = 2 * oldSize;
    memset(larger.buckets, 0, sizeof larger.buckets);
    for (uint64_t i = 0; i < oldSize; i++)
      for (uint64_t name = old.buckets[i]; name != 0; name = node(name).next) {
        uint64_t copy = allocate(), &head = larger.buckets[node(name).key % larger.size];
        node(copy) = {node(name).key, node(name).value, head};
        flush(&node(copy), sizeof(Node));
        head = copy;
      }
    flush(&larger, sizeof larger);
    fence();
    current = 3 - current;
    settle(current);
#ifdef BUG_NON_ATOMIC_GROW
    sizeApart = larger.size;
    settle(sizeApart);
#endif
    for (uint64_t i = 0; i < oldSize; i++)
      for (uint64_t name = old.buckets[i]; name != 0; name = node(name).next) release(name);
  }

  uint64_t count() {
    uint64_t count = 0;
    for (bool each : used) count += each;
    return count;
  }

  void mark() {
    for (uint64_t i = 0; i < size(); i++)
#ifdef BUG_RECOVERY
      if (uint64_t name = table().buckets[i]) used[name - 1] = true;
#else
      for (uint64_t name = table().buckets[i]; name != 0; name = node(name).next) {
#ifndef BUG_HANG
        if (used[name - 1]) fail(BROKEN, "two links name node %d", (int)name);
#endif
        used[name - 1] = true;
      }
#endif
  }

public:
  Value get(Key key) {
    uint64_t name = *linkTo(key);
    return name == 0 ? Value{} : node(name).value;
  }

  void put(Key key, Value value) {
    if (uint64_t name = *linkTo(key)) {
#ifdef BUG_NON_ATOMIC
      remove(key);
      insert(key, value);
#else
      node(name).value = value;
#ifndef BUG_LOST_ACK
      settle(node(name).value);
#endif
#endif
    } else {
      if (count() >= size()) grow();
      insert(key, value);
    }
  }

  void remove(Key key) {
    uint64_t *link = linkTo(key), name = *link;
    *link = node(name).next;
#ifndef BUG_HANG
    settle(*link);
#endif
    release(name);
  }

  void recover() {
    if (current == 0) {
      tables[0].size = firstSize;
      settle(tables[0].size);
#ifdef BUG_NON_ATOMIC_GROW
      sizeApart = firstSize;
      settle(sizeApart);
#endif
      current = 1;
      settle(current);
    }
    if (current > 2) fail(BROKEN, "table %d is in use", (int)current);
    mark();
    for (uint64_t i = 0; i < size(); i++)
      for (uint64_t name = table().buckets[i]; name != 0; name = node(name).next)
        if (node(name).key == 0 || node(name).key % size() != i) fail(BROKEN, "bucket %d has a strange node", (int)i);
  }
};

using Map = HashMap<uint64_t, uint64_t>;
static_assert(sizeof(Map) <= POOL_BYTES);
static Map *map_in(void *pool) { return static_cast<Map *>(pool); }

static void recover(void *pool) { map_in(pool)->recover(); }

static void operate(void *pool, int operation) {
  const struct operation &next = workload[operation];
  if (next.kind == PUT) map_in(pool)->put(next.key, next.value);
  else map_in(pool)->remove(next.key);
}

static bool holds(void *pool, int operations) {
  for (uint64_t key = 1; key < KEYS; key++)
    if (map_in(pool)->get(key) != expected(operations, key)) return false;
  return true;
}

static void show(void *pool) {
  for (uint64_t key = 1; key < KEYS; key++)
    if (uint64_t value = map_in(pool)->get(key)) printf("%d=%d\n", (int)key, (int)value);
}

int main(int argc, char **argv) {
  const struct guest guest = {OPERATIONS, recover, operate, holds, show};
  return drive(&guest, argc, argv);
}
