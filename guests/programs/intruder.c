/* Tries to get out, in the way its first argument names. Prints what the attempt came to. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result) {
  if (result < 0) printf("%s: %s\n", what, strerrorname_np(errno));
  else printf("%s: done\n", what);
}

/* Every way to change a tree: `victim` is a file in the directory given, `other` beside it. */
static void write_files(const char *directory) {
  if (chdir(directory)) say("chdir", -1);
  int fd = open("victim", O_RDWR);
  say("write", write(fd, "CHANGED", 7));
  char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  say("mmap", map == MAP_FAILED ? -1 : 0);
  if (map != MAP_FAILED) map[8] = '!', msync(map, 4096, MS_SYNC), munmap(map, 4096);
  say("ftruncate", ftruncate(fd, 100));
  close(fd);
  say("create", close(open("new", O_CREAT | O_WRONLY, 0600)));
  say("mkdir", mkdir("directory", 0700));
  say("rename", rename("other", "moved"));
  say("link", link("victim", "hard"));
  say("symlink", symlink("victim", "soft"));
  say("through the link", write(open("soft", O_WRONLY | O_APPEND), "more", 4));
  say("chmod", chmod("victim", 0777));
  say("unlink", unlink("doomed"));
  char path[64], text[16] = {0};
  snprintf(path, sizeof path, "/proc/self/fd/%d", open("victim", O_RDONLY));
  say("through /proc", write(open(path, O_WRONLY), "PROC", 4));
  pread(open("victim", O_RDONLY), text, 7, 0);
  printf("the guest sees %s\n", text);
}

static void write_through_link(const char *path) {
  int fd = open(path, O_WRONLY | O_TRUNC);
  say("open", fd);
  say("write", write(fd, "CHANGED", 7));
  char text[16] = {0};
  read(open(path, O_RDONLY), text, 15);
  printf("the guest sees %s\n", text);
}

static void talk(const char *argument) {
  (void)argument;
  const int families[] = {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK};
  const char *names[] = {"inet", "inet6", "unix", "netlink"};
  for (int i = 0; i < 4; i++) say(names[i], socket(families[i], SOCK_STREAM, 0));
  int pair[2];
  say("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
}

static void start(const char *argument) {
  (void)argument;
  pid_t child = fork();
  if (child == 0) _exit(0);
  say("fork", child);
  say("kill 1", kill(1, SIGKILL));
  say("kill parent", kill(getppid(), SIGTERM));
  say("ptrace", ptrace(PTRACE_ATTACH, 1, 0, 0));
  say("/dev/mem", open("/dev/mem", O_RDONLY));
  say("/proc/1/environ", open("/proc/1/environ", O_RDONLY));
  printf("secret %s\n", getenv("SECRET") ? getenv("SECRET") : "(none)");
  fflush(stdout);
  execl("/bin/cat", "cat", "/proc/self/environ", "/proc/self/cmdline", NULL);
}

static void eat_memory(const char *argument) {
  (void)argument;
  long megabytes = 0;
  for (char *block; (block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED; megabytes++)
    memset(block, 1, 1 << 20);
  printf("%s after %ld MiB\n", strerrorname_np(errno), megabytes);
}

static void reserve(const char *argument) {
  (void)argument;
  say("mmap 1 TiB", mmap(NULL, 1ul << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED ? -1 : 0);
  say("malloc 8 GiB", malloc(8ul << 30) ? 0 : -1);
}

static void fill_disk(const char *argument) {
  (void)argument;
  static char block[1 << 16];
  memset(block, 7, sizeof block);
  int fd = open("/tmp/big", O_CREAT | O_WRONLY, 0600);
  long written = 0;
  for (long count; (count = write(fd, block, sizeof block)) > 0;) written += count;
  printf("%s after %ld KiB\n", strerrorname_np(errno), written >> 10);
}

static void *wait_forever(void *argument) {
  pause();
  return argument;
}
static void start_threads(const char *argument) {
  (void)argument;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  int count = 0, result;
  pthread_t thread;
  while (!(result = pthread_create(&thread, &small, wait_forever, NULL))) count++;
  printf("%s after %d threads\n", strerrorname_np(result), count);
  fflush(stdout);
  _exit(0);
}

static void open_files(const char *argument) {
  (void)argument;
  int count = 0;
  while (open("/dev/null", O_RDONLY) >= 0) count++;
  printf("%s after %d\n", strerrorname_np(errno), count);
}

static void make_directories(const char *argument) {
  (void)argument;
  char name[32];
  int count = 0;
  do snprintf(name, sizeof name, "/tmp/made-%d", count);
  while (mkdir(name, 0700) == 0 && ++count);
  printf("%s after %d\n", strerrorname_np(errno), count);
}

static void shout(const char *argument) {
  (void)argument;
  for (;;) puts("the same line again and again");
}

static void spin(const char *argument) {
  (void)argument;
  for (volatile unsigned long i = 0;; i++) {
  }
}

static void wait_for_nothing(const char *argument) {
  (void)argument;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
}

static const struct {
  const char *name;
  void (*attempt)(const char *argument);
} attempts[] = {
    {"files", write_files},  {"link", write_through_link}, {"sockets", talk},      {"processes", start},
    {"memory", eat_memory},  {"reserve", reserve},         {"disk", fill_disk},    {"threads", start_threads},
    {"opens", open_files},   {"output", shout},            {"loop", spin},         {"deadlock", wait_for_nothing},
    {"directories", make_directories},
};

int main(int argc, char **argv) {
  for (unsigned i = 0; i < sizeof attempts / sizeof *attempts; i++)
    if (argc > 1 && !strcmp(argv[1], attempts[i].name)) {
      attempts[i].attempt(argc > 2 ? argv[2] : "");
      return 0;
    }
  return 99;
}
