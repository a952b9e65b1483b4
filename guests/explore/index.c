/*
 * A small index in the manner of RECIPE's: a pool with a header, an allocator, a root object, a list of keys, garbage that is
 * collected, and a lock that lives in the pool. The mistakes are of the kinds that Jaaru found (Figures 12, 13 and 15); each is
 * seeded by a macro. argv: the pool, and "recover" for the recovery, which also goes on working.
 */
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 8192
#define LINE __attribute__((aligned(64)))
#define MAGIC 0x1dec5

struct node { LINE volatile uint64_t key; volatile uint64_t next; };
struct root { LINE volatile uint64_t kind; volatile uint64_t first; };
struct pool {
  LINE volatile uint64_t magic;
  LINE volatile uint64_t size;
  LINE volatile uint64_t root;
  LINE volatile uint64_t next;    /* free from here on */
  LINE volatile uint64_t lock;
  LINE volatile uint64_t retired; /* a node that is no part of the list any more */
  LINE volatile uint64_t cache;   /* memory of the process that is running */
};

static struct pool *pool;
static void *at(uint64_t offset) { return (char *)pool + offset; }
static uint64_t offset_of(volatile void *place) { return (uint64_t)((char *)place - (char *)pool); }
static void persist(volatile void *place) { clwb(place); sfence(); }
static void fail(int code) { _exit(code); }

__attribute__((noinline)) static uint64_t allocate(void) {
  uint64_t offset = pool->next;
  pool->next = offset + 64;
#ifndef BUG_ALLOCATOR
  persist(&pool->next);
#endif
  return offset;
}

__attribute__((noinline)) static void construct_root(void) {
  struct root *root = at(allocate());
  root->first = 0;
  root->kind = 7;
#ifndef BUG_CONSTRUCTOR
  persist(root);
#endif
  pool->root = offset_of(root);
  persist(&pool->root);
}

__attribute__((noinline)) static void create(void) {
  pool->next = 1024;
  persist(&pool->next);
#ifdef BUG_POOL_OPEN
  pool->magic = MAGIC;
  persist(&pool->magic);
#endif
  pool->size = POOL_BYTES;
  persist(&pool->size);
#ifndef BUG_POOL_OPEN
  pool->magic = MAGIC;
  persist(&pool->magic);
#endif
}

__attribute__((noinline)) static void insert(uint64_t key) {
  struct root *root = at(pool->root);
  struct node *node = at(allocate());
  node->key = key;
  node->next = root->first;
  persist(node);
  root->first = offset_of(node);
#ifdef BUG_POINTER
  persist(node); /* the object that is referred to, not the reference */
#else
  persist(&root->first);
#endif
}

__attribute__((noinline)) static void take_out_first(void) {
  struct root *root = at(pool->root);
  struct node *node = at(root->first);
#ifdef BUG_COLLECTED
  node->key = 0; /* collected while it is still referred to, and nothing tells that it is garbage */
  persist(node);
#endif
  pool->retired = root->first;
  persist(&pool->retired);
  root->first = node->next;
  persist(&root->first);
  node->key = 0;
  persist(node);
  pool->retired = 0;
  persist(&pool->retired);
}

static int operations(void) {
  static char lock_owner;
  pool->cache = (uint64_t)&lock_owner;
  persist(&pool->cache);
  for (uint64_t key = 1; key <= 3; key++) {
    pool->lock = 1;
    persist(&pool->lock);
    insert(key);
    pool->lock = 0;
    persist(&pool->lock);
    if (write(1, "k\n", 2) != 2) return 2;
  }
  take_out_first();
  pool->cache = 0;
  persist(&pool->cache);
  return write(1, "t\n", 2) != 2;
}

static int acknowledged(void) {
  const char *path = getenv("BLACKOUT_ACKED");
  int fd = path == NULL ? -1 : open(path, O_RDONLY);
  char bytes[64];
  int count = fd < 0 ? 0 : (int)read(fd, bytes, sizeof bytes) / 2;
  return count > 3 ? 2 : count;
}

__attribute__((noinline)) static int keys(void) {
  struct root *root = at(pool->root);
  if (root->kind != 7) fail(10);
  int count = 0;
  for (uint64_t offset = root->first; offset != 0; count++) {
    struct node *node = at(offset);
    if (node->key == 0 || count > 10) fail(11);
    offset = node->next;
  }
  return count;
}

static int recover(void) {
  if (pool->magic != MAGIC) return acknowledged() > 0;
  if (pool->size != POOL_BYTES) fail(12);
  if (pool->root == 0) return acknowledged() > 0;
#ifdef BUG_ENDLESS
  while (pool->lock != 0) __asm__ volatile("pause");
#else
  pool->lock = 0;
  persist(&pool->lock);
#endif
#ifdef BUG_VOLATILE
  if (pool->cache != 0 && *(volatile char *)(pool->cache + 0x10000000) != 0) fail(13);
#endif
  struct root *root = at(pool->root);
  if (pool->retired != 0 && root->first == pool->retired) {
    root->first = ((struct node *)at(pool->retired))->next;
    persist(&root->first);
  }
  int before = keys();
  if (before < acknowledged() - 1) fail(14);
  insert(9);
  return keys() == before + 1 ? 0 : 15;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  pool = map_pool(argv[1], POOL_BYTES);
  if (argc > 2) return recover();
  create();
  construct_root();
  return operations();
}
