/*
 * Reads parts of a file that is mapped twice, by loads of all sizes, a system call and a file call, after the same loop
 * has run long enough on ordinary memory to be compiled. Some words are overwritten before they are read.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES 8192

static uint64_t sum(const volatile uint64_t *words, int count) {
  uint64_t total = 0;
  for (int i = 0; i < count; i++) total += words[i] + 1;
  return total;
}

int main(int argc, char **argv) {
  static uint64_t plain[64];
  uint64_t total = 0;
  for (int i = 0; i < 4000; i++) total += sum(plain, 64);
  int fd = open(argv[argc - 1], O_RDWR);
  char *pool = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  char *again = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 4096);
  write(1, "ready\n", 6);
  total += sum((uint64_t *)(pool + 256), 3);
  total += *(volatile uint8_t *)(pool + 513) + *(volatile uint32_t *)(pool + 1022) + *(volatile uint64_t *)(pool + 4092);
  __m128i wide;
  __asm__ volatile("movdqu %1, %0" : "=x"(wide) : "m"(*(char(*)[16])(pool + 2052)));
  total += _mm_cvtsi128_si32(wide);
  *(volatile uint64_t *)(pool + 3000) = 5;
  total += *(volatile uint64_t *)(pool + 3000);
  *(volatile uint32_t *)(pool + 3008) = 5;
  total += *(volatile uint64_t *)(pool + 3008);
  *(volatile uint32_t *)(pool + 3020) = 5;
  total += *(volatile uint32_t *)(pool + 3020);
  *(volatile uint32_t *)(pool + 3028) = 5;
  total += *(volatile uint32_t *)(pool + 3024);
  write(1, pool + 16, 4);
  total += *(volatile uint64_t *)(again + 64);
  char bytes[9];
  total += pread(fd, bytes, sizeof bytes, 6400) + bytes[0];
  munmap(pool, BYTES);
  printf("%lu\n", (unsigned long)total);
  return 0;
}
