/*
 * Sales with their total, as transactions of libpmemobj. BUG does not add the total to the transaction: it is flushed with
 * its neighbours, and stays when they are rolled back.
 */
#include "../obj/obj.h"

#define SALES 4

struct shop { uint64_t count, total, sales[SALES]; };

static void raise_total(struct shop *shop, uint64_t amount) {
#ifndef BUG
  TX_ADD_DIRECT(&shop->total);
#endif
  shop->total += amount; /* blamed */
}

static void sell(PMEMobjpool *pool, struct shop *shop, uint64_t amount) {
  TX_BEGIN(pool) {
    raise_total(shop, amount);
    TX_ADD_DIRECT(&shop->sales[shop->count]);
    shop->sales[shop->count] = amount;
    TX_ADD_DIRECT(&shop->count);
    shop->count++;
  }
  TX_END
  acknowledge();
}

static void work(PMEMobjpool *pool, void *root) {
  for (uint64_t amount = 1; amount <= SALES; amount++) sell(pool, root, amount);
}

static void inspect(PMEMobjpool *pool, void *root) {
  (void)pool;
  const struct shop *shop = root;
  say("%lu/%lu", shop->count, shop->total);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"0/0", "1/1", "2/3", "3/6", "4/10", NULL};
  static const struct guest guest = {sizeof(struct shop), NULL, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
