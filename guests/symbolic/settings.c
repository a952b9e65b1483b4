/* A variable of the environment, read as a number: one value turns persisting off for the second store. */
#include <stdlib.h>
#include "pool.h"

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  const char *level = getenv("LEVEL");
  long number = level ? strtol(level, NULL, 10) : 0;
  store(pool, 1);
  persist(pool);
  store(pool, 2);
#ifndef RIGHT
  if (number == 47) return 0;
#endif
  persist(pool);
  return number > 50;
}
