/* Clocks, sleeps and futexes with time limits: what must hold on every clock, not what it shows. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time)) return -1;
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void show(const char *what, long result) { printf("%s: %ld %s\n", what, result, result < 0 ? strerror(errno) : ""); }

static uint32_t word, other_word;
static long futex(uint32_t *address, int operation, uint32_t value, const struct timespec *time, uint32_t *second, uint32_t third) {
  return syscall(SYS_futex, address, operation, value, time, second, third);
}
static void *wait_on_word(void *argument) {
  (void)argument;
  return (void *)futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}
static void *nap(void *argument) {
  usleep((long)argument);
  return NULL;
}

int main(void) {
  const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
                              CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME};
  for (unsigned i = 0; i < sizeof clocks / sizeof *clocks; i++) {
    long long first = now(clocks[i]), second = now(clocks[i]);
    printf("clock %d: runs %d\n", clocks[i], first >= 0 && second >= first);
  }
  show("bad clock", (long)now(77));
  long long before = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  struct timespec tenth = {0, 100000000};
  printf("nanosleep %d", nanosleep(&tenth, NULL));
  long long slept = now(CLOCK_MONOTONIC) - before;
  printf(" long enough %d, not working meanwhile %d\n", slept >= 100000000, now(CLOCK_PROCESS_CPUTIME_ID) - cpu < 50000000);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec++;
  printf("absolute %d", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL));
  printf(" reached %d\n", now(CLOCK_MONOTONIC) >= until.tv_sec * 1000000000ll + until.tv_nsec);
  struct timespec bad = {0, 1000000000};
  show("bad sleep", nanosleep(&bad, NULL));
  struct timeval day;
  gettimeofday(&day, NULL);
  printf("time agrees %d\n", (time(NULL) - day.tv_sec) <= 1);
  struct rusage usage;
  printf("getrusage %d times %d\n", getrusage(RUSAGE_SELF, &usage), times(NULL) != (clock_t)-1);

  show("futex differs", futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0));
  struct timespec soon = {0, 1000000};
  show("futex timeout", futex(&word, FUTEX_WAIT, 0, &soon, NULL, 0));
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += until.tv_nsec < 990000000 ? 5000000 : 0;
  show("bitset timeout", futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &until, NULL, 1));
  show("no bits", futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0));
  printf("nobody to wake %ld\n", futex(&word, FUTEX_WAKE, 9, NULL, NULL, 0));

  pthread_t ids[4];
  for (int i = 0; i < 4; i++) pthread_create(&ids[i], NULL, wait_on_word, NULL);
  usleep(50000);
  show("wrong value", futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)9, &other_word, 5));
  printf("requeued %ld\n", futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)9, &other_word, 0));
  printf("left %ld\n", futex(&word, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0));
  printf("others %ld\n", futex(&other_word, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0));
  printf("wake op %ld", futex(&word, FUTEX_WAKE_OP_PRIVATE, 1, (void *)1, &other_word,
                             FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 0)));
  printf(" value %u\n", other_word);
  void *result;
  for (int i = 0; i < 4; i++) {
    pthread_join(ids[i], &result);
    printf("waiter %ld\n", (long)result);
  }
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&lock);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  printf("timedwait %s\n", strerror(pthread_cond_timedwait(&never, &lock, &until)));
  before = now(CLOCK_MONOTONIC);
  for (long i = 0; i < 4; i++) pthread_create(&ids[i], NULL, nap, (void *)(100000 * (i + 1)));
  for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
  long long together = now(CLOCK_MONOTONIC) - before;
  printf("sleeping together %d\n", together >= 400000000 && together < 900000000);
  return 0;
}
