/* The rest of a listing's guest: `setup` makes the pool, `check` demands what was said to be done, else `foo` runs. */
static char scratch[128];

int main(int argc, char **argv) {
  char *pool = pm_map(argv[1]);
  if (argc == 2) foo(scratch, pool);
  if (argc == 2 || strcmp(argv[2], "check") != 0) return 0;
  int acked = acknowledged();
  return (acked > 0 && pool[5] != 'x') || (acked > 1 && pool[70] != 'y') ? LOST : 0;
}
