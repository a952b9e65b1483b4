/* POSIX timers: signals, threads, overruns, absolute times. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static timer_t timer;
static volatile sig_atomic_t fired, overruns;
static void on_timer(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  /* Asked here: a program that waits for its turn may have had the next signal before it asks. */
  if (fired == 0) overruns = timer_getoverrun(timer);
  fired++;
  if (info->si_code != SI_TIMER || info->si_value.sival_int != 42) fired += 100;
}
static volatile int called;
static void on_thread(union sigval value) {
  (void)value;
  __atomic_add_fetch(&called, 1, __ATOMIC_SEQ_CST);
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
  sigaction(SIGRTMIN, &action, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 42};
  printf("create %d\n", timer_create(CLOCK_MONOTONIC, &event, &timer));
  struct itimerspec once = {.it_value = {0, 2000000}}, left;
  timer_settime(timer, 0, &once, NULL);
  while (!fired) usleep(100);
  timer_gettime(timer, &left);
  printf("fired %d, off %d\n", (int)fired, left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);

  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct itimerspec absolute = {.it_value = {now.tv_sec + 1, now.tv_nsec}, .it_interval = {0, 1000000}};
  timer_settime(timer, TIMER_ABSTIME, &absolute, NULL);
  timer_gettime(timer, &left);
  printf("left about a second: %d\n", left.it_value.tv_sec == 0 && left.it_value.tv_nsec > 100000000);
  while (fired < 4) pause();
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &set, NULL);
  usleep(20000);
  fired = 0;
  struct itimerspec off = {0};
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  timer_settime(timer, 0, &off, NULL);
  printf("while blocked: fired %d, overran %d\n", fired >= 1, (int)overruns > 5);
  printf("delete %d\n", timer_delete(timer));

  event = (struct sigevent){.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_thread};
  timer_create(CLOCK_REALTIME, &event, &timer);
  timer_settime(timer, 0, &once, NULL);
  while (!called) usleep(1000);
  printf("called %d\n", called);
  timer_create(CLOCK_PROCESS_CPUTIME_ID, NULL, &timer);
  signal(SIGALRM, SIG_DFL);
  fflush(stdout);
  timer_settime(timer, 0, &once, NULL);
  for (;;) continue;
}
