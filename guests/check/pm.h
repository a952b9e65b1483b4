/* What the smaller guests here share: a pool that a file is mapped as, and lines that are flushed and fenced at once. */
#ifndef PM_H
#define PM_H
#include <string.h>
#include "../flush.h"

#ifndef POOL_BYTES
#define POOL_BYTES 16384
#endif

static inline void *pm_map(const char *path) { return map_pool(path, POOL_BYTES); }
#define persist(p) do { clwb(p); sfence(); } while (0)
#endif
