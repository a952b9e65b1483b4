/* A length that wraps: two lengths of a byte are added in a byte, and what lies behind the sum is not flushed. */
#include <string.h>
#include "pool.h"

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  char *pool = (char *)pool_open(argv[1]);
  unsigned char lengths[2];
  if (read(0, lengths, sizeof lengths) != sizeof lengths) return 3;
  if (lengths[0] > 128 || lengths[1] > 200) return 1;
#ifdef RIGHT
  unsigned total = lengths[0] + lengths[1];
#else
  unsigned char total = lengths[0] + lengths[1];
#endif
  store((uint64_t *)pool, 1);
  persist(pool);
  store((uint64_t *)pool, 2);
  if (total >= 8) persist(pool);
  else if (lengths[0] < 8 && lengths[1] < 8) persist(pool);
  return 0;
}
