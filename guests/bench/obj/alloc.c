/* Little but allocating: objects of many sizes, allocated, grown, freed, and reserved in groups, atomically and in transactions. */
#include "bench.h"

#define OBJECTS 1024
#define GROUP 4

struct objects { PMEMoid at[OBJECTS]; };

static size_t some_size(void) { return 16 + random_number() % (random_number() % 8 == 0 ? 8192 : 512); }

static void in_transaction(PMEMobjpool *pool, PMEMoid *object) {
  TX_BEGIN(pool) {
    pmemobj_tx_add_range_direct(object, sizeof *object);
    if (!OID_IS_NULL(*object)) pmemobj_tx_free(*object);
    *object = pmemobj_tx_alloc(some_size(), 2);
  }
  TX_END
}

/* Some objects are made and appear at once. */
static void reserve(PMEMobjpool *pool, PMEMoid *objects) {
  struct pobj_action actions[3 * GROUP];
  for (int i = 0; i < GROUP; i++) {
    PMEMoid made = pmemobj_reserve(pool, &actions[3 * i], some_size(), 3);
    memset(pmemobj_direct(made), i, 16);
    pmemobj_persist(pool, pmemobj_direct(made), 16);
    pmemobj_set_value(pool, &actions[3 * i + 1], &objects[i].off, made.off);
    pmemobj_set_value(pool, &actions[3 * i + 2], &objects[i].pool_uuid_lo, made.pool_uuid_lo);
  }
  pmemobj_publish(pool, actions, 3 * GROUP);
}

static uint64_t work(PMEMobjpool *pool, void *root, uint64_t operations) {
  PMEMoid *objects = ((struct objects *)root)->at;
  for (uint64_t i = 0; i < operations; i++) {
    uint64_t at = random_number() % (OBJECTS - GROUP);
    PMEMoid *object = &objects[at];
    switch (random_number() % 4) {
      case 0:
        if (OID_IS_NULL(*object)) pmemobj_zalloc(pool, object, some_size(), 1);
        else pmemobj_free(object);
        break;
      case 1:
        pmemobj_realloc(pool, object, some_size(), 1);
        break;
      case 2:
        in_transaction(pool, object);
        break;
      default:
        for (int i = 0; i < GROUP; i++) pmemobj_free(&object[i]);
        reserve(pool, object);
    }
  }
  uint64_t bytes = 0;
  for (int i = 0; i < OBJECTS; i++)
    if (!OID_IS_NULL(objects[i])) bytes += pmemobj_alloc_usable_size(objects[i]);
  return bytes;
}

int main(int argc, char **argv) { return bench(argc, argv, sizeof(struct objects), work); }
