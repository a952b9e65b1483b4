/*
 * Books on a shelf, each an object of its own that the one before refers to: the first from the root object, the others from
 * inside other objects. LINK says how: as PMEMoids, as offsets in the pool, or as addresses. A book is put there and taken away
 * in a transaction, unless BUG picks a mistake:
 *   LOOSE      it is allocated first and linked then: a crash in between leaks it
 *   LATE_FREE  it is unlinked first and freed then: a crash in between leaks it
 *   FORGOTTEN  it is unlinked and never freed, crash or not
 *   TRIAL      it is allocated, looked at and freed within one operation: a crash in between leaks it
 *   shelf POOL create | run [OPERATIONS] | check
 */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OID 1
#define OFFSET 2
#define ADDRESS 3
#ifndef LINK
#define LINK OID
#endif

#if LINK == OID
typedef PMEMoid link_t;
#elif LINK == OFFSET
typedef struct { uint64_t offset; } link_t;
#else
typedef struct { char *address; } link_t;
#endif

struct book { uint64_t number; char title[80]; link_t next; };
struct shelf { link_t first; uint64_t taken; char *base; };

static PMEMobjpool *pool;

static link_t link_to(PMEMoid oid) {
#if LINK == OID
  return oid;
#elif LINK == OFFSET
  return (link_t){oid.off};
#else
  return (link_t){OID_IS_NULL(oid) ? NULL : (char *)pool + oid.off};
#endif
}

/* Addresses are those of the run that made the pool. */
static PMEMoid linked(struct shelf *shelf, link_t link) {
  PMEMoid oid = pmemobj_oid(shelf);
#if LINK == OID
  (void)oid;
  return link;
#elif LINK == OFFSET
  oid.off = link.offset;
#else
  oid.off = link.address == NULL ? 0 : (uint64_t)(link.address - shelf->base);
#endif
  return oid.off == 0 ? OID_NULL : oid;
}

static int build(PMEMobjpool *pop, void *at, void *argument) {
  const struct book *given = argument;
  *(struct book *)at = *given;
  pmemobj_persist(pop, at, sizeof *given);
  return 0;
}

#if defined BUG_LOOSE || defined BUG_LATE_FREE || defined BUG_FORGOTTEN
static void point_at(struct shelf *shelf, link_t link) {
  TX_BEGIN(pool) {
    pmemobj_tx_add_range_direct(&shelf->first, sizeof shelf->first);
    shelf->first = link;
  }
  TX_END
}
#endif

static void put(struct shelf *shelf, uint64_t number) {
  struct book book = {.number = number, .title = "a book", .next = shelf->first};
  PMEMoid oid;
#ifdef BUG_TRIAL
  if (number == 2 && pmemobj_alloc(pool, &oid, sizeof book, 1, build, &book) == 0) pmemobj_free(&oid);
#endif
#ifdef BUG_LOOSE
  if (pmemobj_alloc(pool, &oid, sizeof book, 1, build, &book)) return;
  point_at(shelf, link_to(oid));
#else
  TX_BEGIN(pool) {
    oid = pmemobj_tx_alloc(sizeof book, 1);
    build(pool, pmemobj_direct(oid), &book);
    pmemobj_tx_add_range_direct(&shelf->first, sizeof shelf->first);
    shelf->first = link_to(oid);
  }
  TX_END
#endif
}

static void take(struct shelf *shelf) {
  PMEMoid first = linked(shelf, shelf->first);
  const struct book *book = pmemobj_direct(first);
#if defined BUG_LATE_FREE || defined BUG_FORGOTTEN
  point_at(shelf, book->next);
#ifdef BUG_LATE_FREE
  pmemobj_free(&first);
#endif
#else
  TX_BEGIN(pool) {
    pmemobj_tx_add_range_direct(shelf, sizeof *shelf);
    shelf->first = book->next;
    shelf->taken++;
    pmemobj_tx_free(first);
  }
  TX_END
#endif
}

static int check(struct shelf *shelf) {
  uint64_t last = UINT64_MAX;
  for (PMEMoid at = linked(shelf, shelf->first); !OID_IS_NULL(at);) {
    const struct book *book = pmemobj_direct(at);
    if (book->number >= last || strcmp(book->title, "a book") != 0) return 1;
    last = book->number;
    at = linked(shelf, book->next);
  }
  return 0;
}

static void acknowledge(const char *what) {
  puts(what);
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const char *command = argv[2];
  const int operations = argc > 3 ? atoi(argv[3]) : 3;
  if (strcmp(command, "create") == 0) pool = pmemobj_create(argv[1], "shelf", PMEMOBJ_MIN_POOL, 0600);
  else pool = pmemobj_open(argv[1], "shelf");
  if (pool == NULL) return 2;
  struct shelf *shelf = pmemobj_direct(pmemobj_root(pool, sizeof *shelf));
  int result = 0;
  if (strcmp(command, "create") == 0) {
    shelf->base = (char *)pool;
    pmemobj_persist(pool, shelf, sizeof *shelf);
    put(shelf, 1);
  } else if (strcmp(command, "run") == 0) {
    for (int i = 0; i < operations; i++) {
      if (i % 3 < 2) put(shelf, 2 + i);
      else take(shelf);
      acknowledge("done");
    }
  } else {
    result = check(shelf);
  }
  pmemobj_close(pool);
  return result;
}
