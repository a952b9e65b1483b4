/*
 * A value and a flag that makes it count, with one thing wrong about how the value is persisted. argv: "setup" or "recover"
 * and the pool, or what is wrong and the pool: never flushed, flushed before the store, flushed and not fenced, fenced by another
 * thread, or another line flushed.
 */
#include <pthread.h>
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 4096

struct pool {
  uint64_t value;
  char gap[56];
  uint64_t other;
  char another[56];
  uint64_t flag;
};

static struct pool *pool;
static volatile int turn;

static void *fence_when_told(void *unused) {
  (void)unused;
  while (turn != 1) {}
  sfence();
  turn = 2;
  return NULL;
}

static void store_value(const char *wrong) {
  pthread_t thread;
  int threaded = strcmp(wrong, "elsewhere") == 0;
  if (threaded && pthread_create(&thread, NULL, fence_when_told, NULL) != 0) exit(2);
  if (strcmp(wrong, "before") == 0) {
    clwb(&pool->value);
    sfence();
  }
  pool->value = 42;
  if (strcmp(wrong, "unfenced") == 0 || threaded) clwb(&pool->value);
  if (strcmp(wrong, "other") == 0) {
    clwb(&pool->other);
    sfence();
  }
  if (threaded) {
    turn = 1;
    while (turn != 2) {}
  }
  pool->flag = 1;
  clflush(&pool->flag);
  if (threaded) pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  pool = map_pool(argv[2], POOL_BYTES);
  if (strcmp(argv[1], "setup") == 0) return 0;
  if (strcmp(argv[1], "recover") != 0) store_value(argv[1]);
  else if (pool->flag && pool->value != 42) return 1;
  return 0;
}
