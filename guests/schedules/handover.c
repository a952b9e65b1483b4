/*
 * One thread writes a record and hands it over to another, which counts it. With MISTAKE the record is handed over before it is
 * persisted: whether that ever shows depends on when the other thread looks. Run as "handover POOL recover", it holds what was
 * counted against what was written.
 */
#include "../flush.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { records = 3 };
struct line { volatile long value; char rest[56]; };
struct pool { struct line count, record[records]; };

static struct pool *pool;
static volatile long handed_over __attribute__((aligned(64)));

static void persist(volatile void *place) {
  clwb(place);
  sfence();
}
static void *write_records(void *unused) {
  for (long i = 0; i < records; i++) {
    pool->record[i].value = 100 + i;
#ifdef MISTAKE
    handed_over = i + 1;
    persist(&pool->record[i]);
#else
    persist(&pool->record[i]);
    handed_over = i + 1;
#endif
  }
  return unused;
}
static void *count_records(void *unused) {
  for (long i = 0; i < records; i++) {
    while (handed_over <= i) sched_yield();
    pool->count.value = i + 1;
    persist(&pool->count);
  }
  return unused;
}
static int recover(void) {
  for (long i = 0; i < pool->count.value; i++)
    if (pool->record[i].value != 100 + i) {
      fprintf(stderr, "record %ld was counted and is lost\n", i);
      return 1;
    }
  return 0;
}
int main(int argc, char **argv) {
  pool = map_pool(argv[1], sizeof *pool);
  if (argc > 2 && strcmp(argv[2], "recover") == 0) return recover();
  pthread_t ids[2];
  pthread_create(&ids[0], NULL, write_records, NULL);
  pthread_create(&ids[1], NULL, count_records, NULL);
  for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
  return 0;
}
