/* Pipes, eventfds, poll, select and epoll, between threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int ends[2], counter;

static void show(const char *what, long result) { printf("%s: %ld %s\n", what, result, result < 0 ? strerror(errno) : ""); }

static void *write_later(void *argument) {
  usleep(2000);
  if (write(ends[1], argument, strlen(argument)) < 0) abort();
  return NULL;
}
static void *write_much(void *argument) {
  char *data = malloc(300000);
  for (int i = 0; i < 300000; i++) data[i] = (char)(i * 7);
  *(long *)argument = write(ends[1], data, 300000);
  close(ends[1]);
  free(data);
  return NULL;
}
static void *count_later(void *argument) {
  (void)argument;
  usleep(1000);
  eventfd_write(counter, 5);
  return NULL;
}
static void ignore(int signal) { (void)signal; }
static void *disturb(void *target) {
  usleep(1000);
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  return NULL;
}

int main(void) {
  pthread_t other, me = pthread_self();
  char buffer[4096];
  if (pipe2(ends, 0)) return 1;
  struct pollfd polled[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};
  show("poll", poll(polled, 2, 0));
  printf("revents %x %x\n", polled[0].revents, polled[1].revents);
  polled[1].fd = -1;
  printf("timeout: %d\n", poll(polled, 2, 5));
  pthread_create(&other, NULL, write_later, "hello");
  show("woken", poll(polled, 2, -1));
  printf("revents %x\n", polled[0].revents);
  pthread_join(other, NULL);
  int available;
  ioctl(ends[0], FIONREAD, &available);
  printf("available %d, read %ld\n", available, (long)read(ends[0], buffer, sizeof buffer));
  pthread_create(&other, NULL, write_later, "again");
  printf("blocking read: %ld\n", (long)read(ends[0], buffer, sizeof buffer));
  pthread_join(other, NULL);

  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  show("empty", read(ends[0], buffer, 1));
  fcntl(ends[0], F_SETFL, 0);
  fd_set readable;
  FD_ZERO(&readable);
  FD_SET(ends[0], &readable);
  struct timeval soon = {0, 3000};
  show("select timeout", select(ends[0] + 1, &readable, NULL, NULL, &soon));
  printf("set %d\n", FD_ISSET(ends[0], &readable));
  FD_SET(ends[0], &readable);
  pthread_create(&other, NULL, write_later, "x");
  show("select", select(ends[0] + 1, &readable, NULL, NULL, NULL));
  printf("set %d\n", FD_ISSET(ends[0], &readable));
  pthread_join(other, NULL);
  if (read(ends[0], buffer, 1) != 1) return 1;
  polled[0].fd = 99;
  show("bad descriptor", poll(polled, 1, 0));
  printf("revents %x\n", polled[0].revents);

  counter = eventfd(3, 0);
  eventfd_t value;
  eventfd_read(counter, &value);
  printf("eventfd %ld\n", (long)value);
  pthread_create(&other, NULL, count_later, NULL);
  eventfd_read(counter, &value);
  printf("eventfd after waiting %ld\n", (long)value);
  pthread_join(other, NULL);

  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0x1234567890}, found[4];
  show("add", epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event));
  show("again", epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event));
  event.events = EPOLLIN | EPOLLET;
  event.data.u64 = 2;
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
  printf("nothing: %d\n", epoll_wait(epoll, found, 4, 0));
  pthread_create(&other, NULL, count_later, NULL);
  printf("epoll: %d", epoll_wait(epoll, found, 4, -1));
  printf(" data %lx events %x\n", (long)found[0].data.u64, found[0].events);
  pthread_join(other, NULL);
  if (write(ends[1], "ab", 2) != 2) return 1;
  printf("both: %d\n", epoll_wait(epoll, found, 4, 100));
  printf("edge only once: %d\n", epoll_wait(epoll, found, 4, 0));
  eventfd_read(counter, &value);
  printf("none: %d\n", epoll_wait(epoll, found, 4, 2));
  epoll_ctl(epoll, EPOLL_CTL_DEL, ends[0], NULL);
  if (read(ends[0], buffer, 2) != 2) return 1;

  signal(SIGUSR1, ignore);
  pthread_create(&other, NULL, disturb, &me);
  show("interrupted", epoll_wait(epoll, found, 4, -1));
  pthread_join(other, NULL);
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  raise(SIGUSR1);
  polled[0].fd = ends[0];
  show("ppoll with a pending signal", ppoll(polled, 1, NULL, &old));
  pthread_sigmask(SIG_SETMASK, NULL, &set);
  printf("mask restored: %d\n", sigismember(&set, SIGUSR1));

  long written = 0, total = 0, sum = 0, got;
  pthread_create(&other, NULL, write_much, &written);
  while ((got = read(ends[0], buffer, sizeof buffer)) > 0) {
    for (long i = 0; i < got; i++) sum += (unsigned char)buffer[i] == (unsigned char)((total + i) * 7);
    total += got;
  }
  pthread_join(other, NULL);
  printf("much: written %ld read %ld right %ld end %ld\n", written, total, sum, got);
  show("hang-up", poll(polled, 1, -1));
  printf("revents %x\n", polled[0].revents);
  signal(SIGPIPE, SIG_IGN);
  if (pipe(ends)) return 1;
  close(ends[0]);
  show("broken", write(ends[1], "x", 1));
  fflush(stdout);
  signal(SIGPIPE, SIG_DFL);
  if (write(ends[1], "x", 1)) return 1;
  return 0;
}
