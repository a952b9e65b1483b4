/* A table with chains: the second of two different names with one hash goes behind the first, and its link is not flushed. */
#include "pool.h"

static unsigned hash(const unsigned char *name) { return (name[0] * 31u + name[1]) % 64; }

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned char names[4];
  if (read(0, names, sizeof names) != sizeof names) return 3;
  store(pool, 1);
  persist(pool);
  if (hash(names) != hash(names + 2)) return 0;
  if (names[0] == names[2] && names[1] == names[3]) return 1;
  store(pool + 1, 2);
#ifdef RIGHT
  persist(pool + 1);
#endif
  return 0;
}
