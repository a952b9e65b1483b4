/* Two balances whose sum never changes, on one line. BUG keeps them in two words; else both are halves of one. */
#include "hidden.h"

struct purse { volatile uint32_t left, right; };

static void move(struct purse *purse, uint32_t amount) {
#ifdef BUG
  purse->left -= amount;
  purse->right += amount; /* blamed */
#else
  struct purse moved = {purse->left - amount, purse->right + amount};
  uint64_t both;
  memcpy(&both, &moved, sizeof both);
  *(volatile uint64_t *)purse = both;
#endif
  persist(purse, sizeof *purse);
}

int main(int argc, char **argv) {
  struct purse *purse = pm_map(argv[1]);
  if (is_check(argc, argv)) {
    if (purse->left + purse->right != 100 && purse->left != 0) fail(BROKEN, "%u and %u", purse->left, purse->right);
    return 0;
  }
  *(volatile uint64_t *)purse = 100;
  persist(purse, sizeof *purse);
  move(purse, 30);
  move(purse, 20);
  return 0;
}
