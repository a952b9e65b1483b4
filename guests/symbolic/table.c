/* Letters are told from others by a table, and a checksum goes through a table too. */
#include <ctype.h>
#include "pool.h"

static const uint8_t weights[256] = {['a'] = 3, ['b'] = 5, ['q'] = 250};

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  uint64_t *pool = pool_open(argv[2]);
  const unsigned char *word = (const unsigned char *)argv[1];
  store(pool, 1);
  persist(pool);
  if (!isalpha(word[0])) return 1;
  store(pool, 2);
#ifdef RIGHT
  persist(pool);
#else
  if (weights[word[0]] + weights[word[1]] != 253) persist(pool);
#endif
  return 0;
}
