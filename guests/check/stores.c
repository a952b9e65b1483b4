/*
 * Stores to part of a file that may be far larger than what is mapped of it, to see what a check of them costs:
 * `stores FILE FILE_MIB MAPPED_MIB STORED_KIB [flush]` maps the file's end and stores, `stores FILE check` looks at it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t *map(int file, off_t size, size_t mapped) {
  void *start = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, size - (off_t)mapped);
  if (start == MAP_FAILED) exit((perror("mmap"), 1));
  return start;
}

static void flush(const void *address) { __asm__ volatile("clwb %0\n\tsfence" : : "m"(*(const char *)address) : "memory"); }

int main(int argc, char **argv) {
  const int checks = argc == 3 && strcmp(argv[2], "check") == 0;
  if (!checks && argc < 5) return 2;
  const int file = open(argv[1], O_RDWR | O_CREAT, 0644);
  struct stat status;
  if (file < 0 || fstat(file, &status)) return 1;
  if (checks) {
    if (status.st_size == 0) return 0;
    const uint64_t *words = map(file, status.st_size, 4096);
    return words[511] > 1;
  }
  const off_t size = (off_t)strtoul(argv[2], NULL, 10) << 20;
  const size_t mapped = strtoul(argv[3], NULL, 10) << 20, stored = strtoul(argv[4], NULL, 10) << 10;
  if (ftruncate(file, size)) return 1;
  uint64_t *words = map(file, size, mapped);
  for (size_t at = 0; at < stored / 8; at++) {
    words[at] = at + 2;
    if (argc > 5 && at % 64 == 63) flush(&words[at]);
  }
  uint64_t *last = &words[mapped / 8 - 1];
  *last = 1;
  flush(last);
  return 0;
}
