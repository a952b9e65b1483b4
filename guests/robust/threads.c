/*
 * Threads that store to persistent memory, and what orders them. argv: "setup", a name, or "read" and the pool. x, y and turn lie on
 * lines of their own.
 */
#include <pthread.h>
#include <string.h>
#include "../flush.h"

struct cell { volatile uint64_t value; char rest[56]; };
struct pool { struct cell x, y, turn; };
static struct pool *pm;
static volatile uint64_t r1, r2;

/* PSan, Figure 6: two threads that nothing orders. */
static void *store_x(void *unused) { pm->x.value = 1; return unused; }
static void *store_y(void *unused) { pm->y.value = 1; return unused; }

/* A thread begins after what its parent did; it flushes only its own store. */
static void *flush_y(void *unused) { pm->y.value = 1; clflush(&pm->y); return unused; }

/* x is handed over by a locked operation on persistent memory, and nobody has flushed it. */
static void *hand_over(void *unused) {
  pm->x.value = 1;
  __atomic_exchange_n(&pm->turn.value, 1, __ATOMIC_SEQ_CST);
  return unused;
}
static void *take_over(void *unused) {
  for (uint64_t turn = 1; !__atomic_compare_exchange_n(&pm->turn.value, &turn, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); turn = 1) sched_yield();
  pm->y.value = 1;
  clflush(&pm->y);
  return unused;
}

static void both(void *(*first)(void *), void *(*second)(void *)) {
  pthread_t threads[2];
  if (pthread_create(&threads[0], NULL, first, NULL) != 0 || pthread_create(&threads[1], NULL, second, NULL) != 0) exit(2);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  pm = map_pool(argv[2], sizeof *pm);
  if (strcmp(argv[1], "read") == 0) { r1 = pm->x.value; r2 = pm->y.value; }
  if (strcmp(argv[1], "fig6") == 0) both(store_x, store_y);
  if (strcmp(argv[1], "hand-over") == 0) both(hand_over, take_over);
  if (strcmp(argv[1], "start") == 0) {
    pthread_t thread;
    pm->x.value = 1;
    if (pthread_create(&thread, NULL, flush_y, NULL) != 0) return 2;
    pthread_join(thread, NULL);
  }
  return 0;
}
