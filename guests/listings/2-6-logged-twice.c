/*
 * What the custom oracle of Listing 2.6 looks for, and the one that section 2.4.2.2 puts beside it: a range added to the
 * undo log of one transaction twice, and a structure that is to change in transactions only and is changed outside. An
 * insertion adds the node, then calls something that adds a part of it again, as PMDK's example tree does.
 */
#include "../rules/pm.h"
#include "../rules/tx.h"

struct account { volatile uint64_t balance, owner; };

static void add_balance(struct account *account) {
  tx_add(&account->balance, sizeof account->balance); // expect: repeated-add (performance) in add_balance // expect: redundant-undo-log (performance) in add_balance
}

static void deposit(struct account *account, uint64_t amount) {
  tx_begin();
  tx_add(account, sizeof *account);
  add_balance(account);
  account->balance += amount;
  persist(account);
  tx_end();
}

/* A range is only logged twice if it is logged twice in one transaction. */
static void deposit_mended(struct account *account, uint64_t amount) {
  tx_begin();
  tx_add(account, sizeof *account);
  account->balance += amount;
  persist(account);
  tx_end();
}

static void rename_owner(struct account *account, uint64_t owner) {
  account->owner = owner; // expect: atomic-update (error) in rename_owner
  persist(account);
}

int main(void) {
  struct pool *pool = pm_map("/tmp/pool");
  struct account *account = (struct account *)&pool->data;
  deposit(account, 5);
  deposit_mended(account, 6);
  rename_owner(account, 8);
  return 0;
}
