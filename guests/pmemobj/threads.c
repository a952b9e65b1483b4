/*
 * Threads that share a pool, correctly: counters changed in transactions under a PMEMmutex, a PMEMrwlock around a table,
 * a PMEMcond that tells when all is done, and atomic allocations on the side.
 */
#include <libpmemobj.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3
#define ROUNDS 5

POBJ_LAYOUT_BEGIN(office);
POBJ_LAYOUT_ROOT(office, struct office);
POBJ_LAYOUT_TOID(office, struct letter);
POBJ_LAYOUT_END(office);

struct letter { uint64_t sender, round; TOID(struct letter) next; };
struct office {
  PMEMmutex lock;
  PMEMcond done;
  uint64_t finished;
  uint64_t letters;
  TOID(struct letter) tray;
  PMEMrwlock table_lock;
  uint64_t table[THREADS];
};

static PMEMobjpool *pop;
static TOID(struct office) office;

static void fail(const char *what) { fprintf(stderr, "%s: %s\n", what, pmemobj_errormsg()); exit(2); }

static void write_letter(uint64_t sender, uint64_t round) {
  struct office *shared = D_RW(office);
  TX_BEGIN_PARAM(pop, TX_PARAM_MUTEX, &shared->lock, TX_PARAM_NONE) {
    TOID(struct letter) letter = TX_ZNEW(struct letter);
    D_RW(letter)->sender = sender;
    D_RW(letter)->round = round;
    D_RW(letter)->next = shared->tray;
    TX_ADD_FIELD(office, tray);
    shared->tray = letter;
    TX_ADD_FIELD(office, letters);
    shared->letters++;
  } TX_ONABORT {
    fail("write_letter");
  } TX_END
}

static void note_round(uint64_t sender, uint64_t round) {
  struct office *shared = D_RW(office);
  pmemobj_rwlock_wrlock(pop, &shared->table_lock);
  shared->table[sender] = round;
  pmemobj_persist(pop, &shared->table[sender], sizeof(uint64_t));
  pmemobj_rwlock_unlock(pop, &shared->table_lock);
}

static void finish(void) {
  struct office *shared = D_RW(office);
  pmemobj_mutex_lock(pop, &shared->lock);
  shared->finished++;
  pmemobj_persist(pop, &shared->finished, sizeof shared->finished);
  pmemobj_cond_signal(pop, &shared->done);
  pmemobj_mutex_unlock(pop, &shared->lock);
}

static void *work(void *argument) {
  uint64_t sender = (uint64_t)argument;
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    write_letter(sender, round);
    note_round(sender, round);
  }
  finish();
  return NULL;
}

int main(void) {
  pop = pmemobj_create("/tmp/pool", POBJ_LAYOUT_NAME(office), PMEMOBJ_MIN_POOL, 0600);
  if (pop == NULL) fail("pmemobj_create");
  office = POBJ_ROOT(pop, struct office);
  pthread_t threads[THREADS];
  for (uint64_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, (void *)i)) fail("pthread_create");
  struct office *shared = D_RW(office);
  pmemobj_mutex_lock(pop, &shared->lock);
  while (shared->finished < THREADS) pmemobj_cond_wait(pop, &shared->done, &shared->lock);
  pmemobj_mutex_unlock(pop, &shared->lock);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("%lu letters\n", (unsigned long)shared->letters);
  pmemobj_close(pop);
  return 0;
}
