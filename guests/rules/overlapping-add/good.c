/* The lock is held until the transaction has ended. */
#include <pthread.h>
#include "../pm.h"
#include "../tx.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void move_one(struct pool *pool) {
  pthread_mutex_lock(&lock);
  tx_begin();
  tx_add(&pool->pair, sizeof pool->pair);
  pool->pair.left--;
  pool->pair.right++;
  persist(&pool->pair);
  tx_end();
  pthread_mutex_unlock(&lock);
}

static void *work(void *pool) {
  move_one(pool);
  return NULL;
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  pthread_t worker;
  pthread_create(&worker, NULL, work, pool);
  move_one(pool);
  pthread_join(worker, NULL);
  return 0;
}
