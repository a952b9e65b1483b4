/* The flush of the second store is missing behind one word of two bytes. */
#include "pool.h"

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  uint64_t *pool = pool_open(argv[2]);
  const unsigned char *word = (const unsigned char *)argv[1];
  store(pool, 1);
  persist(pool);
  store(pool, 2);
#ifdef RIGHT
  persist(pool);
#else
  if (word[0] != 'k' || word[1] != (unsigned char)(word[0] ^ 0x55)) persist(pool);
#endif
  return word[0] == 'k';
}
