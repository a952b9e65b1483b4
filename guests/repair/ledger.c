/*
 * Transfers between accounts: each is tried on a copy in ordinary memory, under every fee that may apply, and then booked in
 * persistent memory by the same function, behind a note that undoes it after a crash.
 */
#include "../check/structure.h"

#define ACCOUNTS 4
#define TRANSFERS 6

struct account { alignas(LINE) int64_t balance; };

struct note {
  alignas(LINE) int64_t before_from, before_to;
  uint64_t from, to;
};

struct ledger {
  alignas(LINE) uint64_t noted;
  struct note note;
  struct account accounts[ACCOUNTS];
};

static void move(struct account *accounts, uint64_t from, uint64_t to, int64_t amount) {
  accounts[from].balance -= amount;
  accounts[to].balance += amount;
}

static bool is_covered(const struct ledger *ledger, uint64_t from, uint64_t to, int64_t amount) {
  static struct account trial[ACCOUNTS];
  for (int64_t fee = 0; fee < 8; fee++) {
    for (int i = 0; i < ACCOUNTS; i++) trial[i] = ledger->accounts[i];
    move(trial, from, to, amount + fee);
    if (trial[from].balance < -1000) return false;
  }
  return true;
}

static void book(struct ledger *ledger, uint64_t from, uint64_t to, int64_t amount) {
  struct account *accounts = ledger->accounts;
  ledger->note = (struct note){accounts[from].balance, accounts[to].balance, from, to};
  flush(&ledger->note, sizeof ledger->note);
  fence();
  ledger->noted = 1;
  persist(&ledger->noted, sizeof ledger->noted);
  move(ledger->accounts, from, to, amount);
  flush(&accounts[from], sizeof *accounts);
  flush(&accounts[to], sizeof *accounts);
  fence();
  ledger->noted = 0;
  persist(&ledger->noted, sizeof ledger->noted);
}

static void undo(struct ledger *ledger) {
  if (ledger->noted == 0) return;
  ledger->accounts[ledger->note.from].balance = ledger->note.before_from;
  ledger->accounts[ledger->note.to].balance = ledger->note.before_to;
}

int main(int argc, char **argv) {
  struct ledger *ledger = pm_map(argv[1]);
  if (argc > 2) undo(ledger);
  else
    for (uint64_t i = 0; i < TRANSFERS; i++)
      if (is_covered(ledger, i % ACCOUNTS, (i + 1) % ACCOUNTS, 10)) book(ledger, i % ACCOUNTS, (i + 1) % ACCOUNTS, 10);
  int64_t sum = 0;
  for (int i = 0; i < ACCOUNTS; i++) sum += ledger->accounts[i].balance;
  if (sum != 0) fail(BROKEN, "%d is out of nowhere", (int)sum);
  return 0;
}
