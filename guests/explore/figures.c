/*
 * The programs of the figures that exploration is counted by: seed programs of Jaaru (Figures 2, 3 and 4) and PSan (Figure
 * 2). The pool comes from --setup, all zero; nothing is printed. argv: what to do, the pool.
 */
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 4096
#define LINE 8 /* words */

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  volatile uint64_t *pool = map_pool(argv[2], POOL_BYTES);
  if (strcmp(argv[1], "setup") == 0) return 0;
  /* Jaaru, Figure 4: a child that is made, flushed, and referred to by a commit store. */
  volatile uint64_t *child = &pool[0], *data = &pool[LINE];
  if (strcmp(argv[1], "add-child") == 0) { *data = 7; clflush(data); *child = 1; clflush(child); return 0; }
  if (strcmp(argv[1], "read-child") == 0) return *child != 0 && *data != 7;
  /* Jaaru, Figures 2 and 3: x and y share a line. */
  volatile uint64_t *x = &pool[0], *y = &pool[1];
  if (strcmp(argv[1], "interval") == 0) { *y = 1; *x = 2; clflush(x); *y = 3; *x = 4; *y = 5; *x = 6; return 0; }
  if (strcmp(argv[1], "read-interval") == 0) { volatile uint64_t r1 = *x, r2 = *y; (void)r1; (void)r2; return 0; }
  /* PSan, Figure 2: x and y on lines of their own. */
  volatile uint64_t *z = &pool[2 * LINE];
  if (strcmp(argv[1], "weak") == 0) { *x = 1; *z = 1; *x = 2; *z = 2; return 0; }
  if (strcmp(argv[1], "read-weak") == 0) { volatile uint64_t r1 = *x, r2 = *z; (void)r1; (void)r2; return 0; }
  return 2;
}
