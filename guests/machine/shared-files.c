/*
 * Descriptors and shared mappings of a few files: makes the calls that standard input names, a line each, and prints what
 * came of them. Natively and in the machine the answers are to be the same. Runs in an empty directory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOTS 8
#define PAGE 4096l

static struct { unsigned char *start; long length, offset; int file; } maps[SLOTS];
static int files[SLOTS];
static unsigned char buffer[1 << 16];
static sigjmp_buf after_fault;

static void on_fault(int signal, siginfo_t *info, void *context) {
  (void)info, (void)context;
  siglongjmp(after_fault, signal);
}

static void answer(const char *what, long result) {
  printf("%s %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerrorname_np(errno) : "");
}

/* Bytes as lengths of runs, so that a few differing ones are seen. */
static void show(const char *what, const unsigned char *bytes, long length) {
  printf("%s %ld:", what, length);
  for (long at = 0, run; at < length; at += run) {
    for (run = 1; at + run < length && bytes[at + run] == bytes[at];) run++;
    printf(" %ldx%02x", run, bytes[at]);
  }
  printf("\n");
}

static long file_size(int file) {
  struct stat status;
  return fstat(file, &status) ? -1 : (long)status.st_size;
}

/* Behind the file's end, on its last page: what becomes of a store there is nobody's promise. */
static int is_tail(long slot, long from) {
  const long size = file_size(maps[slot].file), at = maps[slot].offset + from;
  return at >= size && at < (size + PAGE - 1) / PAGE * PAGE;
}

static void use(long slot, long from, long length, int value) {
  unsigned char *at = maps[slot].start + from;
  if (maps[slot].start == NULL || from + length > maps[slot].length) return (void)printf("no such place\n");
  const int fault = sigsetjmp(after_fault, 1);
  if (fault) return (void)printf("%s\n", fault == SIGBUS ? "SIGBUS" : "SIGSEGV");
  if (value < 0) {
    for (long i = 0; i < length; i++) buffer[i] = ((volatile unsigned char *)at)[i];
    show("load", buffer, length);
  } else {
    for (long i = 0; i < length; i++)
      if (!is_tail(slot, from + i)) ((volatile unsigned char *)at)[i] = (unsigned char)value;
    printf("stored\n");
  }
}

static void map(long slot, int file, long offset, long length, int protection) {
  if (maps[slot].start) munmap(maps[slot].start, (size_t)maps[slot].length);
  void *start = mmap(NULL, (size_t)length, protection, MAP_SHARED, file, offset);
  if (maps[slot].file > 0) close(maps[slot].file);
  maps[slot].start = start == MAP_FAILED ? NULL : start;
  maps[slot].length = length;
  maps[slot].offset = offset;
  maps[slot].file = dup(file);
  answer("map", start == MAP_FAILED ? -1 : 0);
}

static void remap(long slot, long length) {
  void *start = maps[slot].start ? mremap(maps[slot].start, (size_t)maps[slot].length, (size_t)length, MREMAP_MAYMOVE) : MAP_FAILED;
  if (start != MAP_FAILED) maps[slot].start = start, maps[slot].length = length;
  printf("remap %d\n", start != MAP_FAILED);
}

/* The last page of a mapping goes, or all of it. */
static void unmap(long slot, int whole) {
  if (maps[slot].start == NULL) return (void)printf("no such mapping\n");
  const long gone = whole || maps[slot].length == PAGE ? maps[slot].length : PAGE;
  maps[slot].length -= gone;
  answer("unmap", munmap(maps[slot].start + maps[slot].length, (size_t)gone));
  if (maps[slot].length == 0) maps[slot].start = NULL;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGBUS, &action, NULL);
  sigaction(SIGSEGV, &action, NULL);
  for (int i = 0; i < SLOTS; i++) files[i] = -1;
  char what[16], name[16];
  for (long slot, a, b, c; scanf("%15s %ld %ld %ld %ld", what, &slot, &a, &b, &c) == 5;) {
    const int file = files[slot];
    switch (what[0]) {
    case 'o':
      if (file >= 0) close(file);
      sprintf(name, "file%ld", a);
      answer("open", (files[slot] = open(name, (int)b | O_CREAT, 0644)) < 0 ? -1 : 0);
      break;
    case 'w':
      memset(buffer, (int)c, sizeof buffer);
      answer("write", pwrite(file, buffer, (size_t)b, a));
      break;
    case 'r': {
      const long count = pread(file, buffer, (size_t)b, a);
      if (count < 0) answer("read", count);
      else show("read", buffer, count);
      break;
    }
    case 't': answer("truncate", ftruncate(file, a)); break;
    case 'f': answer("fallocate", fallocate(file, (int)c, a, b)); break;
    case 's': answer("seek", lseek(file, a, (int)b)); break;
    case 'z': answer("size", file_size(file)); break;
    case 'm': map(slot, files[a], b, c / 8 * PAGE, (int)(c % 8)); break;
    case 'M': remap(slot, a); break;
    case 'u': unmap(slot, (int)a); break;
    case 'p': answer("protect", maps[slot].start ? mprotect(maps[slot].start, (size_t)maps[slot].length, (int)a) : 0); break;
    case 'y': answer("sync", maps[slot].start ? msync(maps[slot].start, (size_t)maps[slot].length, (int)a) : 0); break;
    case 'd': answer("discard", maps[slot].start ? madvise(maps[slot].start, (size_t)maps[slot].length, MADV_DONTNEED) : 0); break;
    case 'L': use(slot, a, b, -1); break;
    case 'S': use(slot, a, b, (int)c); break;
    default: return 2;
    }
  }
  return 0;
}
