/* A list in order of its keys, of some hundred entries, on libpmemobj's atomic lists: what is there is removed, else added. */
#include "bench.h"

#define KEYS 256

TOID_DECLARE(struct entry, 1);

struct entry { uint64_t key, value; POBJ_LIST_ENTRY(struct entry) links; };
struct list { POBJ_LIST_HEAD(head, struct entry) head; };

static int fill(PMEMobjpool *pool, void *object, void *argument) {
  struct entry *entry = object;
  const uint64_t *values = argument;
  entry->key = values[0];
  entry->value = values[1];
  pmemobj_persist(pool, &entry->key, 2 * sizeof(uint64_t));
  return 0;
}

/* The first entry whose key is no less; lists are rings. */
static TOID(struct entry) first_from(struct list *list, uint64_t key) {
  TOID(struct entry) first = POBJ_LIST_FIRST(&list->head), at = first;
  while (!TOID_IS_NULL(at) && D_RO(at)->key < key) {
    at = POBJ_LIST_NEXT(at, links);
    if (TOID_EQUALS(at, first)) return TOID_NULL(struct entry);
  }
  return at;
}

static uint64_t work(PMEMobjpool *pool, void *root, uint64_t operations) {
  struct list *list = root;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < operations; i++) {
    uint64_t values[2] = {random_number() % KEYS, i};
    TOID(struct entry) at = first_from(list, values[0]);
    if (TOID_IS_NULL(at))
      POBJ_LIST_INSERT_NEW_TAIL(pool, &list->head, links, sizeof(struct entry), fill, values);
    else if (D_RO(at)->key != values[0])
      POBJ_LIST_INSERT_NEW_BEFORE(pool, &list->head, at, links, sizeof(struct entry), fill, values);
    else {
      sum += D_RO(at)->value;
      POBJ_LIST_REMOVE_FREE(pool, &list->head, at, links);
    }
  }
  return sum;
}

int main(int argc, char **argv) { return bench(argc, argv, sizeof(struct list), work); }
