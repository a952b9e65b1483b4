/* An account with a name and a limit in lines of their own. Bits of one byte say which of them change; both at once flush only one. */
#include "pool.h"

#define LINE 8

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned char request[2];
  if (read(0, request, sizeof request) != sizeof request) return 1;
  store(pool + LINE, 0);
  persist(pool + LINE);
  uint64_t *last = pool;
  if (request[0] & 4) store(last = pool + LINE, request[1]);
#ifdef RIGHT
  if (request[0] & 4) persist(pool + LINE);
  last = pool;
#endif
  if (request[0] & 64) store(last = pool + 2 * LINE, ~request[1]);
  if (last != pool) persist(last);
  return 0;
}
