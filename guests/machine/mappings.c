/* Mappings: private and shared, files and memory, protection, mremap, brk, self-made code. Runs in an empty directory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *map(int fd, size_t length, int protection, int flags) { return mmap(NULL, length, protection, flags, fd, 0); }

int main(void) {
  char buffer[32] = {0};
  int fd = open("file", O_CREAT | O_RDWR, 0644);
  if (ftruncate(fd, 10000)) return 1;
  if (pwrite(fd, "first", 5, 0) != 5 || pwrite(fd, "third", 5, 8192) != 5) return 1;
  char *shared = map(fd, 12288, PROT_READ | PROT_WRITE, MAP_SHARED);
  char *second = map(fd, 12288, PROT_READ, MAP_SHARED);
  char *private = map(fd, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE);
  printf("%s %s %s\n", shared, second + 8192, private + 8192);
  strcpy(shared, "changed");
  private[8192] = 'T';
  printf("second view: %s, private: %s, shared: %s\n", second, private + 8192, shared + 8192);
  if (pread(fd, buffer, 7, 0) != 7) return 1;
  printf("read: %s\n", buffer);
  if (pwrite(fd, "WRITE", 5, 100) != 5) return 1;
  printf("written: %s %s\n", shared + 100, second + 100);
  printf("msync %d\n", msync(shared, 12288, MS_SYNC));
  munmap(shared, 4096);
  printf("rest: %s\n", shared + 8192);
  munmap(shared + 4096, 8192);
  memset(buffer, 0, sizeof buffer);
  if (pread(fd, buffer, 7, 0) != 7) return 1;
  printf("after munmap: %s\n", buffer);

  char *block = map(-1, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  for (int i = 0; i < 256; i++) block[i * 4096] = (char)i;
  block = mremap(block, 1 << 20, 4 << 20, MREMAP_MAYMOVE);
  int right = 1;
  for (int i = 0; i < 256; i++) right &= block[i * 4096] == (char)i;
  printf("moved: %d, new part %d\n", right, block[(4 << 20) - 1]);
  madvise(block, 4096, MADV_DONTNEED);
  block[4096 * 7] = 77;
  madvise(block + 4096 * 7, 4096, MADV_DONTNEED);
  printf("discarded: %d, kept: %d\n", block[4096 * 7], block[4096 * 8]);
  block = mremap(block, 4 << 20, 8192, 0);
  printf("shrunk: %d\n", block[4096]);
  int failed = mprotect(block, 3 * 4096, PROT_READ);
  printf("mprotect a hole: %d %s\n", failed, strerror(errno));
  void *wish = mmap(block, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  printf("no replace: %s\n", wish == MAP_FAILED ? strerror(errno) : "mapped");
  void *huge = mmap(NULL, 1ul << 46, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  printf("too much: %d\n", huge == MAP_FAILED || munmap(huge, 1ul << 46) == 0);

  char *heap = sbrk(0);
  printf("sbrk %d\n", sbrk(100000) == heap);
  memset(heap, 1, 100000);
  printf("brk back %d", brk(heap));
  printf(" %d\n", sbrk(0) == heap);

  static const unsigned char code[] = {0x8d, 0x47, 0x05, 0xc3}; /* lea 5(%rdi), %eax; ret */
  unsigned char *made = (void *)map(-1, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS);
  memcpy(made, code, sizeof code);
  int (*run)(int) = (int (*)(int))made;
  int results[3] = {run(1), 0, 0};
  made[2] = 7;
  results[1] = run(1);
  for (int i = 0; i < 200; i++) made[2] = (unsigned char)(i & 63), results[2] += run(i);
  printf("self-made code: %d %d %d\n", results[0], results[1], results[2]);

  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  int stack = 0, heap_line = 0, program = 0, file = 0;
  while (fgets(line, sizeof line, maps)) {
    stack += strstr(line, "[stack]") != NULL;
    heap_line += strstr(line, "[heap]") != NULL;
    program += strstr(line, "mappings") != NULL && strstr(line, "r-xp") != NULL;
    file += strstr(line, "/file") != NULL;
  }
  printf("maps: stack %d heap %d program %d file %d\n", stack, heap_line > 0, program, file);
  char *large = malloc(40 << 20);
  memset(large, 3, 40 << 20);
  large = realloc(large, 60 << 20);
  printf("realloc: %d\n", large[(40 << 20) - 1]);
  free(large);
  return 0;
}
