/* A letter, its stamp and the word that says they are there, in three lines; nothing but bare intrinsics flushes. Two flushes are missing. */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct mailbox { _Alignas(64) uint64_t letter; _Alignas(64) uint64_t stamp; _Alignas(64) uint64_t sent; };

static void deliver(struct mailbox *box, uint64_t letter) {
  box->letter = letter;
  box->stamp = letter + 1;
  box->sent = letter;
  _mm_clflush(&box->sent);
  _mm_sfence();
}

int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 2;
  struct mailbox *boxes = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  for (int i = 0; i < 2; i++) {
    struct mailbox *box = &boxes[i];
    if (argc == 2) deliver(box, 7);
    else if (box->sent == 7 && (box->letter != 7 || box->stamp != 8)) return 1;
  }
  return 0;
}
