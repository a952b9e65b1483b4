/* A version in two bytes, whose CRC-8 must be that of the pool's layout. Then an old one is upgraded without a flush. */
#include "pool.h"

static unsigned crc(unsigned value) {
  for (int i = 0; i < 8; i++) value = (value << 1 ^ (0u - (value >> 7) & 0x107)) & 0xff;
  return value;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned char version[2];
  store(pool, 0);
  persist(pool);
  if (read(0, version, sizeof version) != sizeof version) return 1;
  if (crc(crc(version[0]) ^ version[1]) != 0x5a) return 1;
  store(pool, version[0]);
#ifndef RIGHT
  if (version[0] >= 3)
#endif
    persist(pool);
  return 0;
}
