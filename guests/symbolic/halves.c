/* A record of two lines is updated at an unknown place; what lies in the last quarter is not flushed. */
#include "pool.h"

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *record = pool_open(argv[1]);
  unsigned char place;
  if (read(0, &place, 1) != 1) return 3;
  if (place >= 16) return 1;
  store(record, 1);
  persist(record);
  store(record + 8, 1);
  persist(record + 8);
  store(record + place, 2);
#ifndef RIGHT
  if (place >= 12) return 0;
#endif
  persist(record + place);
  return 0;
}
