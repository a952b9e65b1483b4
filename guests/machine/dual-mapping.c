// Code written through one mapping of a file and run through another, as compilers that keep W^X do.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { page = 4096 };

static unsigned char *map(int file, int protection) {
  unsigned char *at = mmap(0, page, protection, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) perror("mmap");
  return at;
}

static unsigned run(const unsigned char *code) { return ((unsigned (*)(void))code)(); }

int main(void) {
  int file = open("code", O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, page)) return 1;
  unsigned char *code = map(file, PROT_READ | PROT_EXEC);
  pwrite(file, "\xb8\x2a\0\0\0\xc3", 6, 0); // mov eax, 42; ret
  unsigned sum = run(code);
  unsigned char *writer = map(file, PROT_READ | PROT_WRITE); // when the code has run already
  for (unsigned i = 0; i < 3000; i++) {
    if (i % 3 == 0) memcpy(writer + 1, &i, sizeof i);
    sum = 31 * sum + run(code);
  }
  unsigned char *other = map(file, PROT_READ | PROT_EXEC);
  for (unsigned i = 0; i < 3000; i++) {
    if (i % 50 == 0) memcpy(writer + 1, &i, sizeof i);
    sum = 31 * sum + run(i % 2 ? code : other);
  }
  munmap(writer, page);
  unsigned last = 7;
  pwrite(file, &last, sizeof last, 1);
  printf("%u\n", 31 * sum + run(code) + run(other));
  return 0;
}
