/*
 * A persistent heap: chunks one after another, each with a word of its size and whether it is used, and a few roots that
 * own them. A chunk is split by first writing the remainder's word. Recovery walks the heap and frees used chunks that no
 * root owns. BUG picks a seeded mistake.
 */
#include "structure.h"

#define ROOTS 4
#define HEAP_LINES 24
#define USED 1ull
#define MAGIC 0x68656170

/* The first word of a chunk: its size in bytes, and USED. */
struct heap {
  alignas(LINE) uint64_t magic;
  alignas(LINE) uint64_t roots[ROOTS];
  alignas(LINE) uint64_t lines[HEAP_LINES][LINE / 8];
};

static uint64_t *at(struct heap *heap, uint64_t offset) { return (uint64_t *)((char *)heap->lines + offset); }
static uint64_t size_of(uint64_t word) { return word & ~USED; }
static const uint64_t END = HEAP_LINES * LINE;

static void set(uint64_t *word, uint64_t value) {
  *word = value;
  persist(word, sizeof *word);
}

/* Roots name chunks by 1 and their offset. */
static bool owned(const struct heap *heap, uint64_t offset) {
  for (int i = 0; i < ROOTS; i++)
    if (heap->roots[i] == offset + 1) return true;
  return false;
}

/* Neighbours that are free become one. */
static void join(struct heap *heap) {
  for (uint64_t offset = 0; offset < END;) {
    uint64_t *word = at(heap, offset), next = offset + size_of(*word);
    if (!(*word & USED) && next < END && !(*at(heap, next) & USED)) set(word, *word + *at(heap, next));
    else offset = next;
  }
}

static void create(struct heap *heap) {
  set(at(heap, 0), END);
  set(&heap->magic, MAGIC);
}

static void recover(void *pool) {
  struct heap *heap = pool;
  if (heap->magic != MAGIC) create(heap);
  int owners = 0;
  for (uint64_t offset = 0; offset < END; offset += size_of(*at(heap, offset))) {
    uint64_t *word = at(heap, offset);
#ifndef BUG_HANG
    if (size_of(*word) == 0 || size_of(*word) % LINE != 0 || offset + size_of(*word) > END)
      fail(BROKEN, "the heap is broken at %d", (int)offset);
#endif
    if (owned(heap, offset)) {
      owners++;
      if (!(*word & USED)) { fprintf(stderr, "a root owns a free chunk\n"); abort(); }
    }
#ifndef BUG_RECOVERY
    else if (*word & USED) set(word, size_of(*word));
#endif
  }
  for (int i = 0; i < ROOTS; i++) owners -= heap->roots[i] != 0;
  if (owners != 0) fail(BROKEN, "a root owns no chunk");
  join(heap);
}

static uint64_t find_free(struct heap *heap, uint64_t size) {
  for (uint64_t offset = 0; offset < END; offset += size_of(*at(heap, offset)))
    if (!(*at(heap, offset) & USED) && *at(heap, offset) >= size) return offset;
  fail(BROKEN, "the heap is full");
}

/* The chunk is used and filled, and nobody owns it yet. */
static uint64_t allocate(struct heap *heap, uint64_t size, uint64_t contents) {
  uint64_t offset = find_free(heap, size), *word = at(heap, offset), rest = *word - size;
#ifdef BUG_WRONG_ORDER
  set(word, size | USED);
#endif
  if (rest != 0) {
    *at(heap, offset + size) = rest;
#if !defined BUG_MISSING_FLUSH && !defined BUG_HANG
    flush(at(heap, offset + size), sizeof rest);
#endif
  }
  for (uint64_t i = 1; i < size / 8; i++) word[i] = contents;
#ifdef BUG_SHORT_FLUSH
  flush(word, sizeof word);
#else
  flush(word, size);
#endif
  fence();
  *word = size | USED;
  flush(word, sizeof *word);
#ifndef BUG_MISSING_FENCE
  fence();
#endif
  return offset;
}

static void release(struct heap *heap, uint64_t offset) {
  set(at(heap, offset), size_of(*at(heap, offset)));
  join(heap);
}

static void make(struct heap *heap, int root, uint64_t size, uint64_t contents) {
  heap->roots[root] = allocate(heap, size, contents) + 1;
#ifndef BUG_LOST_ACK
  persist(&heap->roots[root], sizeof heap->roots[root]);
#endif
}

static void drop(struct heap *heap, int root) {
  uint64_t offset = heap->roots[root] - 1;
#ifdef BUG_EARLY_RELEASE
  set(at(heap, offset), size_of(*at(heap, offset)));
#endif
  set(&heap->roots[root], 0);
  release(heap, offset);
}

/* The new chunk takes the old one's place in one store. */
static void replace(struct heap *heap, int root, uint64_t size, uint64_t contents) {
#ifdef BUG_NON_ATOMIC
  drop(heap, root);
  make(heap, root, size, contents);
#else
  uint64_t old = heap->roots[root] - 1;
  set(&heap->roots[root], allocate(heap, size, contents) + 1);
  release(heap, old);
#endif
}

struct operation { char kind; int root; uint64_t lines; };
static const struct operation workload[] = {
  {'m', 0, 2}, {'m', 1, 5}, {'m', 2, 1}, {'d', 1, 0}, {'m', 3, 3}, {'r', 0, 4}, {'m', 1, 2}, {'d', 2, 0}, {'r', 3, 6},
};
#define OPERATIONS ((int)(sizeof workload / sizeof *workload))

static void operate(void *pool, int operation) {
  const struct operation *next = &workload[operation];
  if (next->kind == 'm') make(pool, next->root, next->lines * LINE, operation + 1);
  else if (next->kind == 'r') replace(pool, next->root, next->lines * LINE, operation + 1);
  else drop(pool, next->root);
}

static uint64_t contents_of(struct heap *heap, int root, uint64_t *lines) {
  if (heap->roots[root] == 0) return *lines = 0;
  const uint64_t *word = at(heap, heap->roots[root] - 1);
  *lines = size_of(*word) / LINE;
  for (uint64_t i = 2; i < size_of(*word) / 8; i++)
    if (word[i] != word[1]) return 0;
  return word[1];
}

static bool holds(void *pool, int operations) {
  for (int root = 0; root < ROOTS; root++) {
    uint64_t contents = 0, lines = 0, found_lines;
    for (int i = 0; i < operations; i++) {
      if (workload[i].root != root) continue;
      lines = workload[i].lines;
      contents = lines == 0 ? 0 : i + 1;
    }
    if (contents_of(pool, root, &found_lines) != contents || found_lines != lines) return false;
  }
  for (uint64_t offset = 0; offset < END; offset += size_of(*at(pool, offset)))
    if ((*at(pool, offset) & USED) && !owned(pool, offset)) return false;
  return true;
}

static void show(void *pool) {
  for (int root = 0; root < ROOTS; root++) {
    uint64_t lines, contents = contents_of(pool, root, &lines);
    printf("%d lines of %d\n", (int)lines, (int)contents);
  }
}

int main(int argc, char **argv) {
  const struct guest guest = {OPERATIONS, recover, operate, holds, show};
  return drive(&guest, argc, argv);
}
