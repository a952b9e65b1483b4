/* A message is copied and never flushed, then its flag is set and persisted. An empty message is ignored. */
#include <fcntl.h>
#include <immintrin.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct message {
  char text[64];
  unsigned long ready __attribute__((aligned(64)));
};

static void persist(const void *at) {
  _mm_clwb((void *)at);
  _mm_sfence();
}

static int check(const struct message *m) {
  if (m->ready == 0 || m->text[0] == 0) return 0;
  for (unsigned i = 0; i < sizeof m->text; i++)
    if (m->text[i] != 'm') return 1;
  return 0;
}

int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0644);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 2;
  struct message *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (argc > 2) return strcmp(argv[2], "check") == 0 ? check(m) : 0;
  memset(m->text, 'm', sizeof m->text);
  m->ready = 1;
  persist(&m->ready);
  return 0;
}
