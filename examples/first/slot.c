// One message in a mapped file: the text, then the flag that says it is there. Its mistake: nothing flushes the text.
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct slot { char text[64]; uint64_t full; };

static void persist(void *place) {
  _mm_clflush(place);
  _mm_sfence();
}

int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0644);
  if (fd < 0 || ftruncate(fd, 4096) != 0) { perror(argv[1]); return 2; }
  struct slot *slot = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (argc > 2 && strcmp(argv[2], "check") == 0) {
    if (slot->full && slot->text[0] == 0) { puts("full, but there is no text"); return 1; }
    return 0;
  }
  strcpy(slot->text, "hello");
  slot->full = 1;
  persist(&slot->full);
  return 0;
}
