/*
 * Publishes a word after each way of drawing a line under what was flushed before: every locked operation does, before its
 * own store (docs/MODEL.md, PM-20), so no word is ever published whose data is lost. BUG_UNLOCKED leaves one lock out.
 */
#define POOL_BYTES 65536
#include "pm.h"

struct pair { _Alignas(64) volatile uint64_t data; _Alignas(64) volatile uint64_t published[2]; };

#define LOCKED(form, ...) __asm__ volatile("lock " form : "+m"(*pair->published)__VA_ARGS__ : "memory", "cc")
#ifdef BUG_UNLOCKED
#define MAYBE_LOCKED(form, ...) __asm__ volatile(form : "+m"(*pair->published)__VA_ARGS__ : "memory", "cc")
#else
#define MAYBE_LOCKED LOCKED
#endif

static void publish(struct pair *pair, int form) {
  uint64_t value = 1, old = 0, high = 0;
  switch (form) {
  case 0: __asm__ volatile("xchg %1, %0" : "+m"(*pair->published), "+r"(value)::"memory"); break;
  case 1: LOCKED("addq $1, %0", :); break;
  case 2: LOCKED("xaddq %1, %0", , "+r"(value):); break;
  case 3: LOCKED("btsq $3, %0", :); break;
  case 4: LOCKED("incq %0", :); break;
  case 5: LOCKED("cmpxchgq %2, %0", , "+a"(old) : "r"(value)); break;
  case 6: LOCKED("cmpxchg8b %0", , "+a"(old), "+d"(high) : "b"(1), "c"(0)); break;
  case 7: LOCKED("cmpxchg16b %0", , "+a"(old), "+d"(high) : "b"(1l), "c"(2l)); break;
  case 8: MAYBE_LOCKED("orq $1, %0", :); break;
  }
}

#define FORMS 9

int main(int argc, char **argv) {
  struct pair *pairs = pm_map(argv[argc - 1]);
  for (int form = 0; form < FORMS; form++)
    if (pairs[form].published[0] != 0 && pairs[form].data == 0) {
      fprintf(stderr, "form %d is published without its data\n", form);
      return 3;
    }
  for (int form = 0; form < FORMS; form++) {
    pairs[form].data = 1;
    clwb(&pairs[form].data);
    publish(&pairs[form], form);
    persist(pairs[form].published);
  }
  return 0;
}
