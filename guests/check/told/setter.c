/* Two cells are set by a helper that flushes nothing; once a cell is marked as ready, recovery needs its value. */
#include <fcntl.h>
#include <immintrin.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct cell {
  unsigned long value;
  unsigned long ready __attribute__((aligned(64)));
} __attribute__((aligned(64)));

struct pool {
  struct cell first, second;
};

static void persist(const void *at) {
  _mm_clwb((void *)at);
  _mm_sfence();
}

static void __attribute__((noinline)) set(struct cell *cell, unsigned long value) {
  cell->value = value;
}

static void __attribute__((noinline)) publish(struct cell *cell) {
  cell->ready = 1;
  persist(&cell->ready);
}

int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0644);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 2;
  struct pool *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (argc > 2 && strcmp(argv[2], "make") == 0) return 0;
  if (argc > 2) {
    if (p->first.ready && p->first.value != 7) return 1;
    return p->second.ready && p->second.value != 8;
  }
  set(&p->first, 7);
  publish(&p->first);
  set(&p->second, 8);
#ifdef SECOND_RIGHT
  persist(&p->second);
#endif
  publish(&p->second);
  return 0;
}
