/*
 * What the guests here share: each hides one mistake (BUG) that takes a crash state, a failure point, an instance or later
 * work that a first look does not reach. `PROGRAM POOL` works, `PROGRAM POOL check` judges what a crash left. The line to
 * blame is marked.
 */
#ifndef HIDDEN_H
#define HIDDEN_H
#include "../structure.h"

static inline int is_check(int argc, char **argv) { return argc > 2 && strcmp(argv[2], "check") == 0; }

/* A clean end: nothing is left to lose. */
static inline void close_pool(const void *pool) { persist(pool, POOL_BYTES); }
#endif
