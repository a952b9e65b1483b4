/* A lock is given back before the transaction ends, and another thread adds the same pair. */
#include <pthread.h>
#include "../pm.h"
#include "../tx.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void move_one(struct pool *pool) {
  pthread_mutex_lock(&lock);
  tx_add(&pool->pair, sizeof pool->pair); // expect: overlapping-add
  pool->pair.left--;
  pool->pair.right++;
  pthread_mutex_unlock(&lock);
}

static void *work(void *pool) {
  tx_begin();
  move_one(pool);
  tx_end();
  return NULL;
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pthread_t worker;
  tx_begin();
  move_one(pool);
  pthread_create(&worker, NULL, work, pool);
  pthread_join(worker, NULL);
  persist(&pool->pair);
  tx_end();
  return 0;
}
