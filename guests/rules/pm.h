/* What the raw guests share: a pool of 64 KiB with places on lines of their own. */
#ifndef PM_H
#define PM_H
#include <emmintrin.h>
#include <stddef.h>
#include "../flush.h"

#define POOL_BYTES 65536

static inline void *pm_map(const char *path) { return map_pool(path, POOL_BYTES); }
#define persist(p) do { clwb(p); sfence(); } while (0)

/* Each field on a line of its own, and one pair that shares a line. */
struct pool {
  _Alignas(64) volatile uint64_t data;
  _Alignas(64) volatile uint64_t flag;
  _Alignas(64) struct { volatile uint64_t left, right; } pair;
  _Alignas(64) volatile uint64_t words[64];
};
#endif
