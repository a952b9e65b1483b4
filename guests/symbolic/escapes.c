/* A text in quotes, with escapes. What an escape at its very end leaves open is noted, and not flushed. */
#include "pool.h"

#define LINE 8

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  uint64_t *pool = pool_open(argv[2]);
  const char *at = argv[1];
  if (*at++ != '"') return 1;
  uint64_t length = 0;
  int isEscaped = 0;
  for (; *at != 0; at++) {
    if (!isEscaped && *at == '"') break;
    isEscaped = !isEscaped && *at == '\\';
    length += !isEscaped;
  }
  store(pool, length);
  persist(pool);
  store(pool + LINE, 0);
  persist(pool + LINE);
  if (*at == 0 && isEscaped) {
    store(pool + LINE, 1);
#ifdef RIGHT
    persist(pool + LINE);
#endif
  }
  return 0;
}
