/*
 * An undo-log store: accounts with a balance and a number of changes, and transfers between them as transactions of
 * libpmemobj, one of which aborts. BUG picks a seeded mistake.
 */
#include "obj.h"

#define ACCOUNTS 3

struct account { _Alignas(64) int64_t balance; uint64_t changes; };
struct accounts { struct account all[ACCOUNTS]; };

static void add(struct account *account, int64_t amount) {
#if defined BUG_SHORT_ADD
  TX_ADD_DIRECT(&account->balance);
#elif defined BUG_MISSING_ADD
  if (amount < 0) TX_ADD_DIRECT(account);
#elif !defined BUG_WRONG_ORDER
  TX_ADD_DIRECT(account);
#endif
  account->balance += amount;
  account->changes++;
#ifdef BUG_WRONG_ORDER
  TX_ADD_DIRECT(account);
#endif
}

static void transfer(PMEMobjpool *pool, struct accounts *accounts, int from, int to, int64_t amount) {
  TX_BEGIN(pool) {
    add(&accounts->all[from], -amount);
#ifdef BUG_NON_ATOMIC
  }
  TX_END
  TX_BEGIN(pool) {
#endif
    add(&accounts->all[to], amount);
#ifdef BUG_LOST_ACK
    acknowledge();
#endif
  }
  TX_ONCOMMIT {
#ifndef BUG_LOST_ACK
    acknowledge();
#endif
  }
  TX_END
}

/* A transaction that aborts leaves everything as it was. */
static void change_mind(PMEMobjpool *pool, struct accounts *accounts) {
  TX_BEGIN(pool) {
    TX_ADD_DIRECT(accounts);
    accounts->all[0].balance = 0;
    accounts->all[1].changes = 0;
    pmemobj_tx_abort(1);
  }
  TX_END
}

static void prepare(PMEMobjpool *pool, void *root) {
  struct accounts *accounts = root;
  for (int i = 0; i < ACCOUNTS; i++) accounts->all[i].balance = 100;
  pmemobj_persist(pool, accounts, sizeof *accounts);
}

static void work(PMEMobjpool *pool, void *root) {
  transfer(pool, root, 0, 1, 10);
  change_mind(pool, root);
  transfer(pool, root, 1, 2, 20);
}

static void inspect(PMEMobjpool *pool, void *root) {
  (void)pool;
  const struct accounts *accounts = root;
  for (int i = 0; i < ACCOUNTS; i++) say("%ld/%lu", accounts->all[i].balance, accounts->all[i].changes);
}

int main(int argc, char **argv) {
  static const char *const contents[] = {"100/0 100/0 100/0", "90/1 110/1 100/0", "90/1 90/2 120/1", NULL};
  static const struct guest guest = {sizeof(struct accounts), prepare, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
