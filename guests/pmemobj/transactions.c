/*
 * A library catalogue in libpmemobj's transactions: nested and aborted ones, objects and fields and ranges added, objects
 * allocated, reserved, resized and freed within, strings, TX_SET and TX_MEMCPY, what runs at the end, and a root that grows.
 * All of it is correct but for the three functions named `careless`: one stores in a transaction that did not add the memory,
 * one does so to an object that was published within the transaction, and one changes a book that transactions update without
 * any.
 */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

POBJ_LAYOUT_BEGIN(catalogue);
POBJ_LAYOUT_ROOT(catalogue, struct catalogue);
POBJ_LAYOUT_TOID(catalogue, struct book);
POBJ_LAYOUT_TOID(catalogue, char);
POBJ_LAYOUT_TOID(catalogue, uint64_t);
POBJ_LAYOUT_END(catalogue);

struct book {
  uint64_t number, lent;
  TOID(char) title;
  TOID(struct book) next;
};
struct catalogue {
  uint64_t count, lent;
  TOID(struct book) first;
  TOID(uint64_t) loans;
  uint64_t loan_room;
  char motto[40];
};

static void fail(const char *what) { fprintf(stderr, "%s: %s\n", what, pmemobj_errormsg()); exit(2); }

/* A nested transaction when called from one. */
static void shelve(PMEMobjpool *pop, TOID(struct catalogue) root, uint64_t number, const char *title) {
  TX_BEGIN(pop) {
    TX_ADD(root);
    TOID(struct book) book = TX_NEW(struct book);
    D_RW(book)->number = number;
    D_RW(book)->lent = 0;
    TOID_ASSIGN(D_RW(book)->title, TX_STRDUP(title, TOID_TYPE_NUM(char)));
    D_RW(book)->next = D_RO(root)->first;
    D_RW(root)->first = book;
    D_RW(root)->count++;
  } TX_ONABORT {
    fail("shelve");
  } TX_END
}

static void note_loan(TOID(struct catalogue) root, uint64_t number) {
  if (D_RO(root)->lent == D_RO(root)->loan_room) {
    uint64_t room = D_RO(root)->loan_room * 2 + 2;
    TX_SET(root, loans, TX_ZREALLOC(D_RW(root)->loans, room * sizeof number));
    TX_SET(root, loan_room, room);
  }
  uint64_t *slot = &D_RW(D_RW(root)->loans)[D_RO(root)->lent];
  pmemobj_tx_add_range_direct(slot, sizeof *slot);
  *slot = number;
  TX_ADD_FIELD(root, lent);
  D_RW(root)->lent++;
}

static void lend_all(PMEMobjpool *pop, TOID(struct catalogue) root) {
  TX_BEGIN(pop) {
    for (TOID(struct book) book = D_RO(root)->first; !TOID_IS_NULL(book); book = D_RO(book)->next) {
      TX_BEGIN(pop) {
        TX_ADD_FIELD(book, lent);
        D_RW(book)->lent = 1;
        note_loan(root, D_RO(book)->number);
      } TX_END
    }
  } TX_ONABORT {
    fail("lend_all");
  } TX_END
}

/* Everything that is changed here is taken back; returns whether it was. */
static int change_of_mind(PMEMobjpool *pop, TOID(struct catalogue) root) {
  volatile int aborted = 0;
  TX_BEGIN(pop) {
    TX_ADD(root);
    D_RW(root)->count = 1000;
    shelve(pop, root, 99, "Never Bought");
    TX_FREE(D_RO(root)->loans);
    D_RW(root)->loans = TOID_NULL(uint64_t);
    pmemobj_tx_abort(1);
  } TX_ONCOMMIT {
    fail("change_of_mind");
  } TX_ONABORT {
    aborted = 1;
  } TX_FINALLY {
    aborted += 2;
  } TX_END
  return aborted == 3;
}

static void discard_first(PMEMobjpool *pop, TOID(struct catalogue) root) {
  TX_BEGIN(pop) {
    TOID(struct book) book = D_RO(root)->first;
    TX_ADD_FIELD(root, first);
    TX_ADD_FIELD(root, count);
    D_RW(root)->first = D_RO(book)->next;
    D_RW(root)->count--;
    TX_FREE(D_RO(book)->title);
    TX_FREE(book);
  } TX_END
}

static void set_motto(PMEMobjpool *pop, TOID(struct catalogue) root, const char *motto) {
  TX_BEGIN(pop) {
    TX_MEMSET(D_RW(root)->motto, 0, sizeof D_RO(root)->motto);
    TX_MEMCPY(D_RW(root)->motto, motto, strlen(motto));
  } TX_END
}

/* A reserved object belongs to nobody until it is published, so it need not be added. */
static void reserve_book(PMEMobjpool *pop, TOID(struct catalogue) root) {
  TX_BEGIN(pop) {
    struct pobj_action action;
    TOID(struct book) book = POBJ_RESERVE_NEW(pop, struct book, &action);
    *D_RW(book) = (struct book){.number = 10, .title = TOID_NULL(char), .next = D_RO(root)->first};
    pmemobj_persist(pop, D_RW(book), sizeof(struct book));
    TX_ADD(root);
    D_RW(root)->first = book;
    D_RW(root)->count++;
    pmemobj_tx_publish(&action, 1);
  } TX_END
}

static int bind_book(PMEMobjpool *pop, void *object, void *number) {
  struct book *book = object;
  *book = (struct book){.number = *(uint64_t *)number, .title = TOID_NULL(char), .next = TOID_NULL(struct book)};
  pmemobj_persist(pop, book, sizeof *book);
  return 0;
}

/* An object that is allocated atomically is there whatever becomes of the transaction; its constructor comes before that. */
static void careless_stamp(PMEMobjpool *pop) {
  TX_BEGIN(pop) {
    uint64_t number = 60;
    TOID(struct book) book;
    if (POBJ_NEW(pop, &book, struct book, bind_book, &number)) fail("POBJ_NEW");
    TX_ADD_FIELD(book, number);
    D_RW(book)->number++;
    D_RW(book)->lent = 1; // expect: unadded-store (error) in careless_stamp
    pmemobj_persist(pop, &D_RW(book)->lent, sizeof D_RO(book)->lent);
  } TX_END
}

static void careless_return(PMEMobjpool *pop, TOID(struct catalogue) root) {
  TX_BEGIN(pop) {
    TOID(struct book) book = D_RO(root)->first;
    TX_ADD_FIELD(book, lent);
    D_RW(book)->lent = 0;
    D_RW(root)->lent--; // expect: unadded-store (error) in careless_return
  } TX_END
}

static void careless_number(PMEMobjpool *pop, TOID(struct catalogue) root) {
  TX_BEGIN(pop) {
    TX_ADD_DIRECT(D_RW(D_RW(root)->first));
  } TX_END
  D_RW(D_RW(root)->first)->number = 50; // expect: loose-store (error) in careless_number
  D_RW(D_RW(root)->first)->lent = 1;
  pmemobj_persist(pop, D_RW(D_RW(root)->first), sizeof(struct book));
}

int main(void) {
  PMEMobjpool *pop = pmemobj_create("/tmp/pool", POBJ_LAYOUT_NAME(catalogue), PMEMOBJ_MIN_POOL, 0600);
  if (pop == NULL) fail("pmemobj_create");
  if (OID_IS_NULL(pmemobj_root(pop, sizeof(uint64_t) * 2))) fail("pmemobj_root");
  TOID(struct catalogue) root = POBJ_ROOT(pop, struct catalogue);
  for (uint64_t i = 0; i < 6; i++) shelve(pop, root, i, i % 2 ? "On Memory" : "A Longer Title That Fills More Than A Line Of Its Own Or So");
  lend_all(pop, root);
  if (!change_of_mind(pop, root)) fail("the transaction was not taken back");
  discard_first(pop, root);
  set_motto(pop, root, "silence please");
  reserve_book(pop, root);
  careless_stamp(pop);
  careless_return(pop, root);
  careless_number(pop, root);
  printf("%lu books, %lu lent, %s\n", (unsigned long)D_RO(root)->count, (unsigned long)D_RO(root)->lent, D_RO(root)->motto);
  pmemobj_close(pop);
  return 0;
}
