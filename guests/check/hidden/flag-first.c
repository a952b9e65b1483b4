/* Records on a line of their own, with a flag that makes them count. BUG sets the flag before the value. */
#include "hidden.h"

struct record { alignas(LINE) volatile uint64_t value; volatile uint64_t valid; };

static void put(struct record *record, uint64_t value) {
#ifdef BUG
  record->valid = 1;
  record->value = value; /* blamed */
#else
  record->value = value;
  record->valid = 1;
#endif
  persist((void *)record, sizeof *record);
}

int main(int argc, char **argv) {
  struct record *records = pm_map(argv[1]);
  for (int i = 0; i < 4; i++)
    if (!is_check(argc, argv)) put(&records[i], 100 + i);
    else if (records[i].valid && records[i].value != 100u + i) fail(BROKEN, "record %d holds nothing", i);
  return 0;
}
