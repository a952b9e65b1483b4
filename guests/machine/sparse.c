/*
 * Files of terabytes that hold next to nothing, mapped and not: every call costs what there is, natively and in the machine.
 * Runs in an empty directory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096l
#define TERA (1l << 40)

static void tell(const char *what, long result) {
  printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerrorname_np(errno) : "");
}

static long size_of(int file) {
  struct stat status;
  return fstat(file, &status) ? -1 : (long)status.st_size;
}

/* Cutting, punching and growing a file of which a page is mapped. */
static void cut(void) {
  int file = open("cut", O_CREAT | O_RDWR, 0644);
  tell("grow", ftruncate(file, 8 * TERA));
  char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 4 * TERA);
  page[0] = 'x';
  tell("punch all", fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1, 8 * TERA - 1));
  printf("after the hole: %d\n", page[0]);
  page[1] = 'y';
  tell("punch beyond the end", fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4 * TERA + PAGE, 11 * TERA));
  printf("before the hole: %d\n", page[1]);
  tell("punch behind the end", fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 9 * TERA, TERA));
  tell("punch too far", fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 15 * TERA, 15 * TERA));
  tell("cut to nothing", ftruncate(file, 0));
  tell("grow again", ftruncate(file, 8 * TERA));
  printf("after the cut: %d\n", page[1]);
  close(file);
}

/* Looking for what there is. */
static void look(void) {
  int file = open("look", O_CREAT | O_RDWR, 0644);
  char byte = 0;
  tell("write far out", pwrite(file, "far", 3, TERA));
  tell("data", lseek(file, 0, SEEK_END) - TERA);
  tell("the last byte", pread(file, &byte, 1, TERA + 2));
  tell("a byte of nothing", pread(file, &byte, 1, TERA / 2));
  printf("bytes: %d\n", byte);
  char *far = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, TERA);
  printf("mapped: %s\n", far);
  tell("no data at the end", lseek(file, TERA + PAGE, SEEK_DATA));
  tell("hole at the end", lseek(file, TERA, SEEK_HOLE) - TERA);
  tell("copy", copy_file_range(file, &(off64_t){TERA}, file, &(off64_t){TERA / 4}, 3, 0));
  tell("sync", msync(far, PAGE, MS_SYNC));
  tell("unlink while it is open", unlink("look"));
  tell("still there", pread(file, &byte, 1, TERA + 1));
  printf("byte: %c, size: %ld\n", byte, size_of(file));
  close(file);
}

/* More than can be mapped, and large mappings of which little is used. */
static void map(void) {
  int file = open("map", O_CREAT | O_RDWR, 0644);
  tell("grow", ftruncate(file, TERA));
  char *large = mmap(NULL, 1l << 31, PROT_READ | PROT_WRITE, MAP_SHARED, file, TERA / 2);
  for (long at = 0; at < 1l << 31; at += 1l << 28) large[at] = (char)(at >> 28);
  tell("protect", mprotect(large, 1l << 31, PROT_READ));
  int right = 1;
  for (long at = 0; at < 1l << 31; at += 1l << 28) right &= large[at] == (char)(at >> 28);
  printf("large: %d\n", right);
  tell("unmap", munmap(large, 1l << 31));
  char byte = 0;
  tell("read", pread(file, &byte, 1, TERA / 2 + (3l << 28)));
  printf("byte: %d\n", byte);
  close(file);
}

int main(void) {
  cut();
  look();
  map();
  return 0;
}
