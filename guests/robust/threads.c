/*
 * Threads that store to persistent memory, and what orders them. argv: "setup", a name, or "read" and the pool. x, y and turn lie on
 * lines of their own. Where one thread hands x over to the other, it persists x before ("NAME"), or does not ("NAME-late").
 */
#include <pthread.h>
#include <string.h>
#include "../flush.h"

struct cell { volatile uint64_t value; char rest[56]; };
struct pool { struct cell x, y, turn; };
static struct pool *pm;
static volatile uint64_t r1, r2;
static int late;

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
  return flush_y(unused);
}

/*
 * PSan, Figure 7: each thread flushes what it stores, and the second reads x before the first has flushed it. It looks for x until it is
 * there.
 */
static void *persist_x(void *unused) { pm->x.value = 1; clflush(&pm->x); return unused; }
static void *copy_x(void *unused) {
  uint64_t x;
  while ((x = pm->x.value) == 0) sched_yield();
  pm->y.value = x;
  clflush(&pm->y);
  return unused;
}
/* With the fix of its text, and with a flush that comes too early for one. */
static void *copy_x_fixed(void *unused) {
  uint64_t x;
  while ((x = pm->x.value) == 0) sched_yield();
  clflush(&pm->x);
  pm->y.value = x;
  clflush(&pm->y);
  return unused;
}
static void *copy_x_early(void *unused) { clflush(&pm->x); return copy_x(unused); }

/* ── What hands over in ordinary memory ─────────────────────────────────────────────────────────────────────────── */

static void make_x(void) {
  pm->x.value = 1;
  if (!late) clflush(&pm->x);
}
static void make_y(void) { pm->y.value = 1; clflush(&pm->y); }

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int made;
static void *under_mutex(void *unused) {
  pthread_mutex_lock(&mutex);
  make_x();
  made = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void *after_mutex(void *unused) {
  for (int is = 0; !is; sched_yield()) {
    pthread_mutex_lock(&mutex);
    is = made;
    if (is) make_y();
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

/* Taken by a compare-and-swap, released by a plain store. */
static volatile uint32_t spin;
static void take_spin(void) {
  for (uint32_t none = 0; !__atomic_compare_exchange_n(&spin, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); none = 0) sched_yield();
}
static void *under_spin(void *unused) {
  take_spin();
  make_x();
  made = 1;
  __atomic_store_n(&spin, 0, __ATOMIC_RELEASE);
  return unused;
}
static void *after_spin(void *unused) {
  for (int is = 0; !is; sched_yield()) {
    take_spin();
    is = made;
    if (is) make_y();
    __atomic_store_n(&spin, 0, __ATOMIC_RELEASE);
  }
  return unused;
}

static volatile int flag;
static void *set_flag(void *unused) { make_x(); flag = 1; return unused; }
static void *after_flag(void *unused) { while (!flag) sched_yield(); make_y(); return unused; }

/* A third thread passes on what it stores nothing for. */
static volatile int passed;
static void *pass_on(void *unused) { while (!flag) sched_yield(); passed = 1; return unused; }
static void *after_passed(void *unused) { while (!passed) sched_yield(); make_y(); return unused; }

static void *just_x(void *unused) { make_x(); return unused; }

static void run(unsigned count, void *(*const bodies[])(void *)) {
  pthread_t threads[3];
  for (unsigned i = 0; i < count; i++) if (pthread_create(&threads[i], NULL, bodies[i], NULL) != 0) exit(2);
  for (unsigned i = 0; i < count; i++) pthread_join(threads[i], NULL);
}
static void both(void *(*first)(void *), void *(*second)(void *)) { run(2, (void *(*const[])(void *)){first, second}); }

static void start(void) { pm->x.value = 1; run(1, (void *(*const[])(void *)){flush_y}); }
static void join(void) { run(1, (void *(*const[])(void *)){just_x}); make_y(); }
/* Nothing says that the thread has come to its end. */
static void *linger(void *unused) { pm->x.value = 1; sched_yield(); return unused; }
static void detached(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, linger, NULL) != 0) exit(2);
  pthread_detach(thread);
  for (int i = 0; i < 20; i++) sched_yield();
  make_y();
}

static void fig6(void) { both(store_x, store_y); }
static void fig7(void) { both(persist_x, copy_x); }
static void fig7_fixed(void) { both(persist_x, copy_x_fixed); }
static void fig7_badfix(void) { both(persist_x, copy_x_early); }
static void hand(void) { both(hand_over, take_over); }
static void mutexes(void) { both(under_mutex, after_mutex); }
static void spinlock(void) { both(under_spin, after_spin); }
static void flags(void) { both(set_flag, after_flag); }
static void third(void) { run(3, (void *(*const[])(void *)){set_flag, pass_on, after_passed}); }

static const struct { const char *name; void (*run)(void); } programs[] = {
    {"fig6", fig6}, {"fig7", fig7}, {"fig7-fixed", fig7_fixed}, {"fig7-badfix", fig7_badfix}, {"hand-over", hand},
    {"start", start}, {"mutex", mutexes}, {"spinlock", spinlock}, {"flag", flags}, {"third", third}, {"join", join},
    {"detached", detached},
};

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  pm = map_pool(argv[2], sizeof *pm);
  if (strcmp(argv[1], "setup") == 0) return 0;
  if (strcmp(argv[1], "read") == 0) { r1 = pm->x.value; r2 = pm->y.value; return 0; }
  char *end = strstr(argv[1], "-late");
  if (end != NULL) { late = 1; *end = 0; }
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, argv[1]) == 0) { programs[i].run(); return 0; }
  return 2;
}
