// Threads that share counters under a mutex and an atomic, and print in an order that the schedule decides.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long guarded;
static atomic_long shared;

static void *work(void *argument) {
  long id = (long)argument;
  for (int i = 0; i < 2000; i++) {
    pthread_mutex_lock(&lock);
    guarded += id;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&shared, id);
    if (i % 500 == 0) {
      char line[64];
      fputs((snprintf(line, sizeof line, "thread %ld at %d\n", id, i), line), stdout);
    }
  }
  return (void *)(id * 10);
}

int main(void) {
  pthread_t threads[4];
  long sum = 0;
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
  for (int i = 0; i < 4; i++) {
    void *result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  printf("guarded %ld shared %ld sum %ld\n", guarded, atomic_load(&shared), sum);
  return 0;
}
