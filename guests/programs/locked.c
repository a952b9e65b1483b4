/* Counts by locked operations, in ordinary memory and in a shared file: each must happen exactly once. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 20000

int main(int argc, char **argv) {
  int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 2;
  static unsigned long here;
  unsigned long *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared == MAP_FAILED) return 2;
  for (int i = 0; i < ROUNDS; i++) {
    __atomic_fetch_add(&here, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(shared, 1, __ATOMIC_SEQ_CST);
  }
  printf("%lu %lu\n", here, *shared);
  return 0;
}
