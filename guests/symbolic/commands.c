/* A store that speaks a language: "put K", "del K" and "end" by their first letters. Deleting the last element forgets a flush. */
#include "pool.h"

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  uint64_t count = 0;
  store(pool, 0);
  persist(pool);
  unsigned char line[2];
  while (read(0, line, sizeof line) == sizeof line) {
    if (line[0] == 'p') {
      store(pool, ++count);
      persist(pool);
    } else if (line[0] == 'd' && count > 0) {
      store(pool, --count);
#ifdef RIGHT
      persist(pool);
#else
      if (count > 0) persist(pool);
#endif
    } else if (line[0] == 'e') break;
  }
  return 0;
}
