/*
 * Uses of files that leave nothing to test, or little: `filework HOW FILE`. Of `write` there is a file and no persistent memory, `map`
 * stores nothing to what it maps, `store` does and flushes it, and `fail`, `abort`, `fork` and `socket` do so before they end badly.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
  const char *how = argc == 3 ? argv[1] : "";
  int fd = open(argc == 3 ? argv[2] : "pool", O_RDWR | O_CREAT, 0666);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 9;
  if (!strcmp(how, "write")) return write(fd, "text", 4) != 4;
  if (!strcmp(how, "fork") && fork() < 0) return 3;
  if (!strcmp(how, "socket") && socket(AF_INET, SOCK_STREAM, 0) < 0) return 4;
  char *pool = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pool == MAP_FAILED) return 9;
  if (!strcmp(how, "map")) return 0;
  pool[0] = 1;
  __builtin_ia32_clflush(pool);
  if (!strcmp(how, "fail")) return 2;
  if (!strcmp(how, "abort")) abort();
  return 0;
}
