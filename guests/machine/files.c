/* Files: what is written is read back, by every kind of call. Runs in an empty directory. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

static int by_name(const void *left, const void *right) { return strcmp(*(char **)left, *(char **)right); }

static void list(const char *path) {
  char *names[64];
  int count = 0;
  DIR *directory = opendir(path);
  for (struct dirent *entry; (entry = readdir(directory));) names[count++] = strdup(entry->d_name);
  closedir(directory);
  qsort(names, count, sizeof *names, by_name);
  printf("%s:", path);
  for (int i = 0; i < count; i++) printf(" %s", names[i]);
  printf("\n");
}

static void show(const char *what, long result) { printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : ""); }

int main(void) {
  char buffer[256] = {0};
  struct stat st;
  umask(022);
  int fd = open("a", O_CREAT | O_RDWR | O_EXCL, 0666);
  show("open", fd >= 0 ? 0 : -1);
  show("again", open("a", O_CREAT | O_RDWR | O_EXCL, 0666));
  show("missing", open("nowhere/a", O_RDONLY));
  show("write", write(fd, "hello world", 11));
  show("pwrite", pwrite(fd, "HELLO", 5, 0));
  show("pread", pread(fd, buffer, 20, 6));
  printf("%s\n", buffer);
  struct iovec parts[3] = {{"one ", 4}, {"", 0}, {"two", 3}};
  show("writev", writev(fd, parts, 3));
  show("lseek end", lseek(fd, 0, SEEK_END));
  show("lseek bad", lseek(fd, -1, SEEK_SET));
  fstat(fd, &st);
  printf("mode %o size %ld links %ld\n", st.st_mode, (long)st.st_size, (long)st.st_nlink);
  show("link", link("a", "b"));
  show("symlink", symlink("a", "s"));
  show("readlink", readlink("s", buffer, sizeof buffer));
  show("rename", rename("b", "c"));
  show("mkdir", mkdir("d", 0777));
  show("mkdir again", mkdir("d", 0777));
  show("unlink a directory", unlink("d"));
  show("open in it", close(open("d/x", O_CREAT | O_WRONLY, 0600)));
  show("rmdir full", rmdir("d"));
  list(".");
  list("d");
  stat("s", &st);
  printf("through the link: size %ld links %ld\n", (long)st.st_size, (long)st.st_nlink);
  lstat("s", &st);
  printf("the link: size %ld link %d\n", (long)st.st_size, S_ISLNK(st.st_mode));
  show("ftruncate", ftruncate(fd, 5));
  show("read after", pread(fd, buffer, 20, 0));
  show("grow", ftruncate(fd, 4100));
  lseek(fd, 0, SEEK_SET);
  int copy = open("copy", O_CREAT | O_RDWR | O_APPEND, 0644), plain = open("plain", O_CREAT | O_RDWR, 0644);
  show("sendfile to an appending", sendfile(copy, fd, NULL, 5000));
  show("sendfile", sendfile(plain, fd, NULL, 5000));
  off_t from = 2, to = 1;
  show("copy_file_range", copy_file_range(plain, &from, copy, NULL, 3, 0));
  show("copy_file_range", copy_file_range(fd, &from, plain, &to, 100, 0));
  printf("offsets %ld %ld\n", (long)from, (long)to);
  show("size", lseek(copy, 0, SEEK_END));
  int dup_fd = dup2(copy, 20);
  show("dup2", dup_fd);
  show("append", write(dup_fd, "x", 1));
  show("shared position", lseek(copy, 0, SEEK_CUR));
  show("fcntl", fcntl(20, F_GETFL) & (O_APPEND | O_ACCMODE));
  show("cloexec", fcntl(20, F_GETFD));
  show("dupfd", fcntl(20, F_DUPFD_CLOEXEC, 30));
  show("cloexec", fcntl(30, F_GETFD));
  show("close", close(20));
  show("close again", close(20));
  show("fallocate", posix_fallocate(fd, 0, 10000));
  fstat(fd, &st);
  printf("size %ld\n", (long)st.st_size);
  show("fsync", fsync(fd));
  show("flock", flock(fd, LOCK_EX | LOCK_NB));
  show("chmod", chmod("a", 0400));
  stat("a", &st);
  printf("mode %o\n", st.st_mode);
  struct timespec times[2] = {{1000, 5}, {2000, 7}};
  show("utimensat", utimensat(AT_FDCWD, "a", times, 0));
  stat("a", &st);
  printf("times %ld.%ld %ld.%ld\n", (long)st.st_atim.tv_sec, st.st_atim.tv_nsec, (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
  show("access", access("a", R_OK));
  show("faccessat", faccessat(AT_FDCWD, "missing", F_OK, 0));
  show("chdir", chdir("d"));
  show("unlink in it", unlink("x"));
  show("chdir up", chdir(".."));
  show("rmdir", rmdir("d"));
  show("write to a read-only", write(open("copy", O_RDONLY), "x", 1));
  show("read a directory", read(open(".", O_RDONLY), buffer, 1));
  show("not a tty", isatty(fd));
  show("unlink open", unlink("copy"));
  show("still readable", pread(copy, buffer, 5, 0));
  show("/dev/null", write(open("/dev/null", O_WRONLY), "abc", 3));
  show("/dev/zero", read(open("/dev/zero", O_RDONLY), buffer, 3));
  show("/dev/full", write(open("/dev/full", O_WRONLY), "abc", 3));
  show("EFAULT", write(fd, (void *)strtol("8", NULL, 0), 1));
  int temporary = open(".", O_TMPFILE | O_RDWR, 0600);
  show("O_TMPFILE", temporary >= 0 ? 0 : -1);
  FILE *stream = fopen("text", "w+");
  for (int i = 0; i < 1000; i++) fprintf(stream, "line %d\n", i);
  rewind(stream);
  int lines = 0;
  while (fgets(buffer, sizeof buffer, stream)) lines++;
  printf("%d lines, last %s", lines, buffer);
  fclose(stream);
  char path[64], target[4096];
  snprintf(path, sizeof path, "/proc/self/fd/%d", open("text", O_RDONLY));
  long length = readlink(path, target, sizeof target);
  printf("/proc/self/fd ends in /text: %d\n", length > 5 && !memcmp(target + length - 5, "/text", 5));
  list(".");
  return 0;
}
