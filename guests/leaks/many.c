/*
 * A pool with objects of every kind that libpmemobj's heap knows: small ones in runs, of one unit and of several, with each kind
 * of header and aligned ones, and huge ones; some of them freed again, some resized. Each is linked from the root object or from
 * another by chance, as a PMEMoid, an offset, one that points inside, or an address, or not at all. Objects of libpmemobj's
 * own are among them.
 *   many POOL SEED
 */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 400, OBJECTS = 140 };
struct root { uint64_t slots[SLOTS]; };

static uint64_t state;
static uint64_t chance(uint64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

static uint64_t class_of(PMEMobjpool *pool, size_t unit, size_t alignment, enum pobj_header_type header) {
  struct pobj_alloc_class_desc desc = {.unit_size = unit, .alignment = alignment, .units_per_block = 100, .header_type = header};
  if (pmemobj_ctl_set(pool, "heap.alloc_class.new.desc", &desc)) exit(3);
  return POBJ_CLASS_ID(desc.class_id);
}

/* In the first words of something that is reached or not. */
static void refer(PMEMobjpool *pool, uint64_t *slot, PMEMoid to) {
  switch (chance(4)) {
    case 0: *slot = to.off; break;
    case 1: *slot = to.off + chance(pmemobj_alloc_usable_size(to)); break;
    case 2: *slot = (uint64_t)(uintptr_t)pool + to.off; break;
    default: *(PMEMoid *)slot = to;
  }
  pmemobj_persist(pool, slot, sizeof to);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  state = strtoull(argv[2], NULL, 0);
  PMEMobjpool *pool = pmemobj_create(argv[1], "many", 48u << 20, 0600);
  if (pool == NULL) return 2;
  struct root *root = pmemobj_direct(pmemobj_root(pool, sizeof *root));
  const uint64_t classes[] = {
      0, 0, 0, class_of(pool, 200, 0, POBJ_HEADER_NONE), class_of(pool, 320, 0, POBJ_HEADER_LEGACY),
      class_of(pool, 4096, 1024, POBJ_HEADER_COMPACT), class_of(pool, 128, 64, POBJ_HEADER_NONE),
  };
  const size_t sizes[] = {16, 100, 500, 3000, 20000, 140000, 400000};
  static PMEMoid made[OBJECTS];
  size_t count = 0;
  for (size_t i = 0; i < OBJECTS; i++) {
    uint64_t class = classes[chance(sizeof classes / sizeof *classes)];
    size_t size = class == 0 ? 16 + chance(sizes[chance(7)]) : 100;
    if (pmemobj_xalloc(pool, &made[count], size, 1 + chance(3), class | POBJ_XALLOC_ZERO, NULL, NULL)) continue;
    uint64_t what = chance(10);
    if (what == 0) { pmemobj_free(&made[count]); continue; }
    if (what == 1) pmemobj_zrealloc(pool, &made[count], 100 + chance(9000), 2);
    if (what < 6) refer(pool, &root->slots[2 * chance(SLOTS / 2)], made[count]);
    else if (what < 9 && count > 0) refer(pool, pmemobj_direct(made[chance(count)]), made[count]);
    count++;
  }
  /* More than a lane's own log has room for: libpmemobj allocates a part of it, which it keeps. */
  TX_BEGIN(pool) {
    for (size_t i = 0; i < count; i++) pmemobj_tx_add_range(made[i], 0, 16);
  }
  TX_END
  printf("%zu\n", count);
  pmemobj_close(pool);
  return 0;
}
