/* A pool that an earlier version left: its header says which fields there are. Of the second version the upgrade is not flushed. */
#include "pool.h"

struct header { uint8_t version, flags; };

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  volatile struct header *header = (struct header *)pool;
  if (header->version == 0) {
    header->version = 3;
    persist(pool);
  } else if (header->version == 2 && (header->flags & 0x81) == 0x81) {
    header->flags = 0;
    persist(pool);
    header->version = 3;
#ifdef RIGHT
    persist(pool);
#endif
  } else if (header->version != 3) return 1;
  munmap(pool, POOL_BYTES);
  uint8_t again;
  int fd = open(argv[1], O_RDWR);
  if (pread(fd, &again, 1, 1) != 1) return 2;
  return again == 0x18;
}
