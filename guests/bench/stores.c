// Millions of stores to a file in persistent memory, with a flush and a fence after every eight: one line at a time.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../rules/tx.h"

enum { lines = 1 << 14, words = 8 };

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ftruncate(file, lines * 64) != 0) return 3;
  volatile uint64_t *pool = mmap(NULL, lines * 64, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (pool == MAP_FAILED) return 4;
  // REGISTER_PMEM_MAPPING: pmemcheck follows no other memory.
  client_request(PMC, (uint64_t)pool, lines * 64);
  long rounds = atol(argv[2]) / words;
  for (long round = 0; round < rounds; round++) {
    volatile uint64_t *line = pool + words * (round % lines);
    for (int word = 0; word < words; word++) line[word] = (uint64_t)(round + word);
    __asm__ volatile("clwb %0\n\tsfence" : "+m"(*line) : : "memory");
  }
  printf("%lu\n", (unsigned long)pool[words * 7]);
  return 0;
}
