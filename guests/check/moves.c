/*
 * Moves money between two accounts by an undo log written by hand; the first account changes twice while the second is being
 * logged. A lock word, a counter of visits and a hint lie in lines that are flushed for something else; `check` takes back what the
 * log holds, resets the lock, and never looks at the hint.
 *   BUG_UNLOGGED   the second account is not logged
 *   BUG_UNFLUSHED  the first account is not flushed before the log is emptied for the second time
 */
#include "pm.h"

struct account { uint64_t amount; char pad[56]; };
struct bank {
  uint64_t entries, lock, hint; char pad0[40];
  uint64_t moves, visits; char pad1[48];
  struct { uint64_t account, old; char pad[48]; } log[2];
  struct account accounts[2];
};

static void remember(struct bank *bank, uint64_t account) {
  uint64_t entry = bank->entries;
  bank->log[entry].account = account;
  bank->log[entry].old = bank->accounts[account].amount;
  persist(&bank->log[entry]);
  bank->entries = entry + 1;
  persist(&bank->entries);
}

static void move(struct bank *bank, uint64_t amount) {
  bank->lock = 1;
  remember(bank, 0);
  bank->accounts[0].amount += amount + 1; // twice
#ifndef BUG_UNLOGGED
  remember(bank, 1);
#else
  persist(&bank->log[1]);
#endif
  bank->accounts[1].amount -= amount; // second
  bank->accounts[0].amount -= 1; // again
#ifdef BUG_UNFLUSHED
  if (amount == 5)
#endif
  clwb(&bank->accounts[0]);
  clwb(&bank->accounts[1]);
  sfence();
  bank->entries = 0; // emptied
  persist(&bank->entries);
  bank->moves++;
  persist(&bank->moves);
  bank->visits++; // visits
  bank->lock = 0; // unlock
  bank->hint = amount; // hint
}

static int check(struct bank *bank) {
  bank->lock = 0;
  while (bank->entries > 0) {
    uint64_t entry = bank->entries - 1;
    bank->accounts[bank->log[entry].account].amount = bank->log[entry].old;
    persist(&bank->accounts[bank->log[entry].account]);
    bank->entries = entry;
    persist(&bank->entries);
  }
  if (bank->accounts[0].amount + bank->accounts[1].amount != 0) { puts("money is lost"); return 1; }
  return bank->lock == 0 ? 0 : 3;
}

int main(int argc, char **argv) {
  struct bank *bank = pm_map(argv[1]);
  if (argc > 2) return check(bank);
  move(bank, 5);
  move(bank, 7);
  return 0;
}
