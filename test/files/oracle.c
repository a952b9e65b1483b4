/* The real kernel's answers: performs file calls read line by line from stdin inside a directory, one answer per line.
 * As root it first makes the directory its root and becomes user 1000, so that absolute paths and permissions count. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static char *args[16];
static char line[1 << 20], buffer[1 << 20];

static long number(int i) { return strtol(args[i], NULL, 0); }

/* Percent-decoded in place; a lone '%' is the empty string. */
static char *text(int i) {
  char *from = args[i], *to = args[i];
  if (strcmp(from, "%") == 0) return "";
  while (*from) {
    if (*from == '%') {
      char hex[3] = {from[1], from[2], 0};
      *to++ = (char)strtol(hex, NULL, 16);
      from += 3;
    } else *to++ = *from++;
  }
  *to = 0;
  return args[i];
}

static size_t bytes(int i) {
  size_t n = strcmp(args[i], "-") == 0 ? 0 : strlen(args[i]) / 2;
  for (size_t k = 0; k < n; k++) {
    char hex[3] = {args[i][2 * k], args[i][2 * k + 1], 0};
    buffer[k] = (char)strtol(hex, NULL, 16);
  }
  return n;
}

static void answer(long result) { printf("%ld\n", result < 0 ? -(long)errno : result); }

static void answer_bytes(long n) {
  if (n < 0) { answer(n); return; }
  printf("%ld ", n);
  for (long k = 0; k < n; k++) printf("%02x", (unsigned char)buffer[k]);
  printf("\n");
}

static void answer_stat(int result, struct stat *s) {
  if (result < 0) { answer(result); return; }
  long size = S_ISDIR(s->st_mode) ? 0 : s->st_size;
  printf("0 mode=%o nlink=%ld size=%ld uid=%d gid=%d mtime=%ld\n", s->st_mode, (long)s->st_nlink, size, s->st_uid,
         s->st_gid, s->st_mtime < 1000000 ? (long)s->st_mtime : -1L);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void answer_names(int fd) {
  static char *names[4096];
  int count = 0;
  long got;
  while ((got = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
    for (long at = 0; at < got;) {
      struct dirent64 *entry = (struct dirent64 *)(buffer + at);
      char *name;
      if (asprintf(&name, "%s:%d", entry->d_name, entry->d_type) < 0) exit(3);
      names[count++] = name;
      at += entry->d_reclen;
    }
  if (got < 0) { answer(got); return; }
  qsort(names, count, sizeof *names, by_name);
  printf("%d", count);
  for (int i = 0; i < count; i++) { printf(" %s", names[i]); free(names[i]); }
  printf("\n");
}

static void perform(void) {
  struct stat s;
  char *op = args[0];
#define IS(name) (strcmp(op, name) == 0)
  if (IS("open")) answer(openat(number(1), text(2), number(3), number(4)));
  else if (IS("close")) answer(close(number(1)));
  else if (IS("dup")) answer(dup(number(1)));
  else if (IS("dup2")) answer(dup2(number(1), number(2)));
  else if (IS("fcntl")) answer(fcntl(number(1), number(2), number(3)));
  else if (IS("read")) answer_bytes(read(number(1), buffer, number(2)));
  else if (IS("pread")) answer_bytes(pread(number(1), buffer, number(2), number(3)));
  else if (IS("write")) { size_t n = bytes(2); answer(write(number(1), buffer, n)); }
  else if (IS("pwrite")) { size_t n = bytes(2); answer(pwrite(number(1), buffer, n, number(3))); }
  else if (IS("lseek")) answer(lseek(number(1), number(2), number(3)));
  else if (IS("ftruncate")) answer(ftruncate(number(1), number(2)));
  else if (IS("truncate")) answer(truncate(text(1), number(2)));
  else if (IS("fallocate")) answer(fallocate(number(1), number(2), number(3), number(4)));
  else if (IS("fsync")) answer(fsync(number(1)));
  else if (IS("mkdir")) answer(mkdirat(number(1), text(2), number(3)));
  else if (IS("mknod")) answer(mknodat(number(1), text(2), number(3), 0));
  else if (IS("unlink")) answer(unlinkat(number(1), text(2), number(3)));
  else if (IS("rename")) answer(syscall(SYS_renameat2, number(1), text(2), number(3), text(4), number(5)));
  else if (IS("link")) answer(linkat(number(1), text(2), number(3), text(4), number(5)));
  else if (IS("symlink")) answer(symlinkat(text(1), number(2), text(3)));
  else if (IS("readlink")) answer_bytes(readlinkat(number(1), text(2), buffer, sizeof buffer));
  else if (IS("chmod")) answer(fchmodat(AT_FDCWD, text(1), number(2), 0));
  else if (IS("fchmod")) answer(fchmod(number(1), number(2)));
  else if (IS("chown")) answer(fchownat(AT_FDCWD, text(1), number(2), number(3), 0));
  else if (IS("access")) answer(syscall(SYS_faccessat2, number(1), text(2), number(3), number(4)));
  else if (IS("stat")) { int r = fstatat(number(1), text(2), &s, number(3)); answer_stat(r, &s); }
  else if (IS("fstat")) { int r = fstat(number(1), &s); answer_stat(r, &s); }
  else if (IS("getdents")) answer_names(number(1));
  else if (IS("chdir")) answer(chdir(text(1)));
  else if (IS("fchdir")) answer(fchdir(number(1)));
  else if (IS("getcwd")) { long r = syscall(SYS_getcwd, buffer, sizeof buffer); answer_bytes(r < 0 ? r : r - 1); }
  else if (IS("umask")) answer(umask(number(1)));
  else if (IS("utimens")) {
    struct timespec t[2] = {{number(2), number(2) == 0 ? UTIME_OMIT : 0}, {number(3), number(3) == 0 ? UTIME_OMIT : 0}};
    answer(utimensat(AT_FDCWD, text(1), t, number(4)));
  } else if (IS("pipe")) { int ends[2]; int r = pipe2(ends, number(1)); answer(r < 0 ? r : ends[0] * 1000 + ends[1]); }
  else if (IS("eventfd")) answer(eventfd(number(1), number(2)));
  else if (IS("poll")) { struct pollfd p = {number(1), POLLIN | POLLOUT, 0}; poll(&p, 1, 0); answer(p.revents); }
  else if (IS("fstype")) { struct statfs f; answer(statfs(".", &f) < 0 ? -1 : (long)f.f_type); }
  else { printf("? %s\n", op); }
}

int main(int argc, char **argv) {
  if (argc < 2 || chdir(argv[1]) < 0) return 2;
  if (geteuid() == 0 && (chroot(".") < 0 || setresgid(1000, 1000, 1000) < 0 || setresuid(1000, 1000, 1000) < 0)) return 2;
  umask(022);
  signal(SIGPIPE, SIG_IGN);
  struct rlimit files = {1024, 1024};
  setrlimit(RLIMIT_NOFILE, &files);
  while (fgets(line, sizeof line, stdin)) {
    int count = 0;
    for (char *word = strtok(line, " \n"); word && count < 15; word = strtok(NULL, " \n")) args[count++] = word;
    args[count] = NULL;
    if (count > 0) perform();
    fflush(stdout);
  }
  return 0;
}
