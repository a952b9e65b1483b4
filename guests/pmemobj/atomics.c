/*
 * Correct uses of libpmemobj without transactions: objects allocated with a constructor, zeroed, resized and freed,
 * persistent lists with their insertions, moves and removals, copies with one drain for all, and actions that are
 * published or cancelled together.
 */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

POBJ_LAYOUT_BEGIN(wagons);
POBJ_LAYOUT_ROOT(wagons, struct yard);
POBJ_LAYOUT_TOID(wagons, struct wagon);
POBJ_LAYOUT_TOID(wagons, struct cargo);
POBJ_LAYOUT_END(wagons);

POBJ_LIST_HEAD(train, struct wagon);
struct wagon {
  uint64_t number;
  char owner[100];
  POBJ_LIST_ENTRY(struct wagon) entry;
};
struct cargo { uint64_t length; char bytes[]; };
struct yard {
  struct train arriving, leaving;
  TOID(struct cargo) cargo, empty;
  TOID(struct wagon) spare;
  uint64_t shunted;
};

static void fail(const char *what) { fprintf(stderr, "%s: %s\n", what, pmemobj_errormsg()); exit(2); }

static int build_wagon(PMEMobjpool *pop, void *at, void *argument) {
  struct wagon *wagon = at;
  wagon->number = *(uint64_t *)argument;
  memset(wagon->owner, 0, sizeof wagon->owner);
  strcpy(wagon->owner, "the company");
  pmemobj_persist(pop, wagon, sizeof *wagon);
  return 0;
}

static int build_cargo(PMEMobjpool *pop, void *at, void *argument) {
  struct cargo *cargo = at;
  cargo->length = strlen(argument);
  memcpy(cargo->bytes, argument, cargo->length);
  pmemobj_persist(pop, cargo, sizeof *cargo + cargo->length);
  return 0;
}

static int refuse(PMEMobjpool *pop, void *at, void *argument) { (void)pop, (void)at, (void)argument; return 1; }

static void shunt(PMEMobjpool *pop, TOID(struct yard) yard) {
  struct yard *rails = D_RW(yard);
  for (uint64_t i = 0; i < 5; i++)
    if (OID_IS_NULL(POBJ_LIST_INSERT_NEW_HEAD(pop, &rails->arriving, entry, sizeof(struct wagon), build_wagon, &i)))
      fail("POBJ_LIST_INSERT_NEW_HEAD");
  TOID(struct wagon) loose;
  uint64_t number = 77;
  if (POBJ_ALLOC(pop, &loose, struct wagon, sizeof(struct wagon), build_wagon, &number)) fail("POBJ_ALLOC");
  POBJ_LIST_INSERT_TAIL(pop, &rails->arriving, loose, entry);
  TOID(struct wagon) moved = POBJ_LIST_FIRST(&rails->arriving);
  POBJ_LIST_MOVE_ELEMENT_HEAD(pop, &rails->arriving, &rails->leaving, moved, entry, entry);
  moved = POBJ_LIST_LAST(&rails->arriving, entry);
  POBJ_LIST_MOVE_ELEMENT_AFTER(pop, &rails->arriving, &rails->leaving, POBJ_LIST_FIRST(&rails->leaving), moved, entry, entry);
  POBJ_LIST_REMOVE_FREE(pop, &rails->arriving, POBJ_LIST_FIRST(&rails->arriving), entry);
  TOID(struct wagon) off = POBJ_LIST_FIRST(&rails->leaving);
  POBJ_LIST_REMOVE(pop, &rails->leaving, off, entry);
  POBJ_FREE(&off);
}

static void load_cargo(PMEMobjpool *pop, TOID(struct yard) yard) {
  struct yard *rails = D_RW(yard);
  char coal[] = "coal for the winter, and then a good deal more of it than fits into one line of sixty-four bytes";
  if (POBJ_ALLOC(pop, &rails->cargo, struct cargo, sizeof(struct cargo) + sizeof coal, build_cargo, coal)) fail("POBJ_ALLOC");
  if (POBJ_REALLOC(pop, &rails->cargo, struct cargo, 4000)) fail("POBJ_REALLOC");
  if (POBJ_ZREALLOC(pop, &rails->cargo, struct cargo, 9000)) fail("POBJ_ZREALLOC");
  if (POBJ_ZALLOC(pop, &rails->empty, struct cargo, 30000)) fail("POBJ_ZALLOC");
  if (!POBJ_ALLOC(pop, &rails->empty, struct cargo, 500, refuse, NULL)) fail("a constructor that refuses");
  uint64_t *length = &D_RW(rails->cargo)->length;
  *length = 4;
  pmemobj_persist(pop, length, sizeof *length);
  pmemobj_memcpy_persist(pop, D_RW(rails->cargo)->bytes, "wood", 4);
  pmemobj_memset_persist(pop, D_RW(rails->cargo)->bytes + 64, ' ', 200);
  POBJ_FREE(&rails->empty);
}

static void act_at_once(PMEMobjpool *pop, TOID(struct yard) yard) {
  struct pobj_action actions[3];
  TOID(struct wagon) wagon = POBJ_RESERVE_NEW(pop, struct wagon, &actions[0]);
  D_RW(wagon)->number = 78;
  pmemobj_persist(pop, &D_RW(wagon)->number, sizeof(uint64_t));
  pmemobj_set_value(pop, &actions[1], &D_RW(yard)->shunted, 6);
  pmemobj_set_value(pop, &actions[2], &D_RW(yard)->spare.oid.off, wagon.oid.off);
  if (pmemobj_publish(pop, actions, 3)) fail("pmemobj_publish");
  wagon = POBJ_RESERVE_NEW(pop, struct wagon, &actions[0]);
  D_RW(wagon)->number = 79;
  pmemobj_cancel(pop, actions, 1);
}

static void copy_much(PMEMobjpool *pop, struct cargo *cargo) {
  char text[500];
  memset(text, 'x', sizeof text);
  pmemobj_memcpy(pop, cargo->bytes, text, sizeof text, PMEMOBJ_F_MEM_NODRAIN);
  pmemobj_memmove(pop, cargo->bytes + 1000, text, 100, PMEMOBJ_F_MEM_NODRAIN | PMEMOBJ_F_MEM_NONTEMPORAL);
  pmemobj_memset(pop, cargo->bytes + 2000, 'y', 100, PMEMOBJ_F_MEM_NODRAIN | PMEMOBJ_F_MEM_TEMPORAL);
  pmemobj_drain(pop);
}

int main(void) {
  PMEMobjpool *pop = pmemobj_create("/tmp/pool", POBJ_LAYOUT_NAME(wagons), PMEMOBJ_MIN_POOL, 0600);
  if (pop == NULL) fail("pmemobj_create");
  TOID(struct yard) yard = POBJ_ROOT(pop, struct yard);
  shunt(pop, yard);
  load_cargo(pop, yard);
  act_at_once(pop, yard);
  copy_much(pop, D_RW(D_RW(yard)->cargo));
  TOID(struct wagon) wagon;
  POBJ_LIST_FOREACH(wagon, &D_RO(yard)->arriving, entry) printf("%lu ", (unsigned long)D_RO(wagon)->number);
  printf("\n");
  TOID(struct cargo) each;
  int objects = 0;
  POBJ_FOREACH_TYPE(pop, each) objects++;
  printf("%d cargo, %lu bytes\n", objects, (unsigned long)D_RO(D_RO(yard)->cargo)->length);
  pmemobj_close(pop);
  return 0;
}
