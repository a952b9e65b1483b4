/* Threads: mutexes, condition variables, barriers, semaphores, thread-local storage, cancellation, robust mutexes. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t tokens;
static long plain_total;
static atomic_long atomic_total;
static __thread int own = 7;
static int turn;

static void *count(void *argument) {
  long me = (long)argument;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&lock);
    plain_total += me;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&atomic_total, me);
    own++;
  }
  return (void *)(long)own;
}

static void *take_turns(void *argument) {
  int me = (int)(long)argument;
  for (int round = 0; round < 3; round++) {
    pthread_mutex_lock(&lock);
    while (turn % THREADS != me) pthread_cond_wait(&changed, &lock);
    printf("turn %d thread %d\n", turn, me);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void *consume(void *argument) {
  long *taken = argument;
  while (*taken < 50) {
    sem_wait(&tokens);
    ++*taken;
  }
  return NULL;
}

static void *die_with_lock(void *argument) {
  pthread_mutex_lock(argument);
  return NULL;
}

static void *sleep_forever(void *argument) {
  (void)argument;
  for (;;) pause();
  return NULL;
}

static pthread_key_t key;
static void destroyed(void *value) { printf("destroyed %s\n", (char *)value); }
static void *with_key(void *argument) {
  pthread_setspecific(key, argument);
  return NULL;
}

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static long shared_value;
static void *read_or_write(void *argument) {
  long seen = 0;
  for (int i = 0; i < 100; i++) {
    if ((long)argument) {
      pthread_rwlock_wrlock(&table);
      shared_value++;
    } else {
      pthread_rwlock_rdlock(&table);
      seen += shared_value >= 0;
    }
    pthread_rwlock_unlock(&table);
    if (i % 10 == 0) sched_yield();
  }
  return (void *)seen;
}

int main(void) {
  pthread_t ids[THREADS];
  void *result;
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (long i = 0; i < THREADS; i++) pthread_create(&ids[i], NULL, count, (void *)i);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(ids[i], &result);
    printf("thread %d: %ld\n", i, (long)result);
  }
  printf("totals %ld %ld, own %d\n", plain_total, atomic_load(&atomic_total), own);

  for (long i = 0; i < THREADS; i++) pthread_create(&ids[i], NULL, take_turns, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);

  long taken = 0;
  sem_init(&tokens, 0, 0);
  pthread_create(&ids[0], NULL, consume, &taken);
  for (int i = 0; i < 50; i++) sem_post(&tokens);
  pthread_join(ids[0], NULL);
  printf("taken %ld\n", taken);

  pthread_mutexattr_t attributes;
  pthread_mutex_t robust;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  pthread_create(&ids[0], NULL, die_with_lock, &robust);
  pthread_join(ids[0], NULL);
  int error = pthread_mutex_lock(&robust);
  printf("robust: %s\n", error == EOWNERDEAD ? "owner died" : strerror(error));
  pthread_mutex_consistent(&robust);
  pthread_mutex_unlock(&robust);

  pthread_create(&ids[0], NULL, sleep_forever, NULL);
  pthread_cancel(ids[0]);
  pthread_join(ids[0], &result);
  printf("cancelled: %d\n", result == PTHREAD_CANCELED);

  pthread_key_create(&key, destroyed);
  pthread_create(&ids[0], NULL, with_key, "value");
  pthread_join(ids[0], NULL);

  for (long i = 0; i < 4; i++) pthread_create(&ids[i], NULL, read_or_write, (void *)(i % 2));
  for (int i = 0; i < 4; i++) {
    pthread_join(ids[i], &result);
    printf("reader/writer %d: %ld\n", i, (long)result);
  }
  printf("shared %ld\n", shared_value);

  char name[16];
  pthread_setname_np(pthread_self(), "renamed");
  pthread_getname_np(pthread_self(), name, sizeof name);
  printf("name %s\n", name);
  fflush(stdout);
  pthread_create(&ids[0], NULL, with_key, "last");
  pthread_exit(NULL);
}
