/*
 * Two threads and one object. `PROGRAM POOL orders`: a clerk writes an order's amount and hands it over to a cashier, who stamps and
 * seals it with one fence; what is stamped and not yet sealed is sealed from its amount by recovery. BUG_HANDED hands the
 * order over before its amount is persisted: that shows only where a crash loses what the clerk stored and half of what
 * the cashier did. `PROGRAM POOL slots`: each thread changes a slot of its own in an array, over and over; with `alone`
 * behind it one after the other. `PROGRAM POOL` recovers.
 */
#include "../flush.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { ORDERS = 3, ROUNDS = 6 };
struct line { volatile uint64_t value; char rest[56]; };
struct order { struct line amount, stamp, seal; };
struct slot { struct line value, check; };
struct pool { struct order orders[ORDERS]; struct slot slots[2]; };

static struct pool *pool;
static volatile int handed_over, done;

static void *clerk(void *unused) {
  for (int i = 0; i < ORDERS; i++) {
    struct order *order = &pool->orders[i];
    order->amount.value = 100 + i;
#ifndef BUG_HANDED
    clwb(&order->amount);
    sfence();
#endif
    handed_over = i + 1;
    while (done <= i) sched_yield();
    clwb(&order->amount);
    sfence();
  }
  return unused;
}
static void *cashier(void *unused) {
  for (int i = 0; i < ORDERS; i++) {
    struct order *order = &pool->orders[i];
    while (handed_over <= i) sched_yield();
    order->stamp.value = 1;
    order->seal.value = 1;
    clwb(&order->stamp);
    clwb(&order->seal);
    sfence();
    done = i + 1;
  }
  return unused;
}
static void *change(void *number) {
  struct slot *slot = &pool->slots[(long)number];
  for (int round = 1; round <= ROUNDS; round++) {
    slot->value.value = round;
    clwb(&slot->value);
    sfence();
    slot->check.value = round;
    clwb(&slot->check);
    sched_yield();
    sfence();
  }
  return NULL;
}
static int recover(void) {
  for (int i = 0; i < ORDERS; i++) {
    struct order *order = &pool->orders[i];
    if (order->stamp.value == 0 || order->seal.value != 0) continue;
    if (order->amount.value == 0) {
      fprintf(stderr, "order %d is stamped, and its amount is lost\n", i);
      return 3;
    }
    order->seal.value = 1;
  }
  for (int i = 0; i < 2; i++)
    if (pool->slots[i].check.value > pool->slots[i].value.value) return 4;
  return 0;
}

int main(int argc, char **argv) {
  pool = map_pool(argv[1], sizeof *pool);
  if (argc < 3) return recover();
  int is_orders = strcmp(argv[2], "orders") == 0;
  int is_alone = argc > 3;
  pthread_t ids[2];
  for (long i = 0; i < 2; i++) {
    pthread_create(&ids[i], NULL, is_orders ? (i == 0 ? clerk : cashier) : change, (void *)i);
    if (is_alone) pthread_join(ids[i], NULL);
  }
  for (int i = 0; i < 2 && !is_alone; i++) pthread_join(ids[i], NULL);
  return 0;
}
