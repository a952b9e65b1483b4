/*
 * Two pools of which the second is mapped late, though its file is there from the start. Recovery looks into the second one
 * only if the first one says so, and into the first one's value only if the second one is ready.
 */
#include "pm.h"

struct first {
  volatile uint64_t second_is_used;
  volatile uint64_t value;
};
struct second {
  volatile uint64_t data;
  volatile uint64_t ready;
};

static void recover(const struct first *first, const struct second *second) {
  if (first->second_is_used && second->ready) {
    if (second->data != 7) exit(5);
    printf("value %lu\n", (unsigned long)first->value);
  }
}

int main(int argc, char **argv) {
  const char *path = argv[1];
  char beside[256];
  snprintf(beside, sizeof beside, "%s.second", path);
  if (argc > 2) {
    recover(pm_map(path), pm_map(beside));
    return 0;
  }
  close(open(beside, O_RDWR | O_CREAT, 0600));
  if (truncate(beside, POOL_BYTES) != 0) return 3;
  struct first *first = pm_map(path);
  first->second_is_used = 1;
  first->value = 41;
  persist(first);
  first->value = 42;
  /* No call but these, which leave the file as it is. */
  int fd = open(beside, O_RDWR);
  struct second *second = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
#ifdef BUG_ORDER
  second->ready = 1;
  second->data = 7;
#else
  second->data = 7;
  second->ready = 1;
#endif
  persist(second);
  persist(first);
  return 0;
}
