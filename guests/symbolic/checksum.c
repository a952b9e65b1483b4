/* A record of standard input counts only if its checksum is right: then its second half is not flushed. */
#include "pool.h"

static uint16_t checksum(const unsigned char *bytes, size_t length) {
  uint16_t sum = 0xffff;
  for (size_t i = 0; i < length; i++) {
    sum ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >> 1) ^ 0xa001 : sum >> 1;
  }
  return sum;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned char record[4];
  if (read(0, record, sizeof record) != sizeof record) return 3;
  store(pool, 1);
  persist(pool);
  if (checksum(record, 2) != (record[2] | record[3] << 8)) return 1;
  store(pool, record[0]);
#ifdef RIGHT
  persist(pool);
#endif
  return 0;
}
