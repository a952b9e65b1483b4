/* Text in UTF-8, of which each letter's number is stored. A letter of two bytes that one would have been enough for is not flushed. */
#include "pool.h"

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned char text[2];
  store(pool, 0);
  persist(pool);
  if (read(0, text, sizeof text) != sizeof text) return 1;
  if (text[0] < 0x80) {
    store(pool, text[0]);
    persist(pool);
  } else if ((text[0] & 0xe0) == 0xc0 && (text[1] & 0xc0) == 0x80) {
    unsigned letter = (text[0] & 0x1fu) << 6 | (text[1] & 0x3fu);
    store(pool, letter);
#ifndef RIGHT
    if (letter >= 0x80)
#endif
      persist(pool);
  }
  return 0;
}
