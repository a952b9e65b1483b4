/* A key-value store that reads commands of eight bytes: "put", "get" and "del", a space, a key and a value. Deleting what is not the newest entry forgets a flush. */
#include <string.h>
#include "pool.h"

#define ENTRIES 4
#define LINE 8

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  uint64_t keys[ENTRIES] = {0};
  int count = 0;
  unsigned char line[8];
  while (count < ENTRIES && read(0, line, sizeof line) == sizeof line) {
    if (memcmp(line, "put ", 4) == 0) {
      keys[count++] = line[4];
      store(pool + LINE * count, line[4] << 8 | line[5]);
      persist(pool + LINE * count);
    } else if (memcmp(line, "del ", 4) == 0) {
      int at = 0;
      while (at < count && keys[at] != line[4]) at++;
      if (at == count) continue;
      store(pool + LINE * (at + 1), 0);
#ifndef RIGHT
      if (at == count - 1)
#endif
        persist(pool + LINE * (at + 1));
      keys[at] = 256;
    } else if (memcmp(line, "get ", 4) != 0) break;
  }
  return 0;
}
