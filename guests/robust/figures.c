/*
 * The figures of PSan (PLDI'22), and the patterns of its section 1.1 that need no flush. argv: "setup", a name, or "read-" and
 * the name, and the pool. x, y and z lie on lines of their own; near lies on x's.
 */
#include <emmintrin.h>
#include <string.h>
#include "../flush.h"

struct cell { volatile uint64_t value, near; char rest[48]; };
/* PSan, Table 2, #9: a header that is larger than its author thinks pushes two fields onto two lines. */
struct page { char header[56]; volatile uint64_t count, entry; };
struct pool { struct cell x, y, z; struct page page; };
static struct pool *pm;
static volatile uint64_t r1, r2, r3;

static void store(volatile uint64_t *to, uint64_t value) { *to = value; clflush(to); }

/* Figure 1: a child is made, flushed, and referred to by a commit store. */
static void fig1(void) { pm->x.value = 7; clflush(&pm->x); pm->y.value = 1; clflush(&pm->y); }
static void read_fig1(void) { r1 = pm->y.value; if (r1 != 0) r2 = pm->x.value; }

/* Figure 2. */
static void fig2(void) {
  pm->x.value = 1;
  pm->y.value = 1;
  pm->x.value = 2;
  pm->y.value = 2;
}
static void read_fig2(void) { r1 = pm->x.value; r2 = pm->y.value; }

/* Figure 4: y is read first. */
static void fig4(void) {
  pm->x.value = 1;
  pm->y.value = 2;
  pm->x.value = 3;
  pm->y.value = 4;
  pm->x.value = 5;
}
static void read_fig4(void) { r1 = pm->y.value; r2 = pm->x.value; }

/* The figure with the flush and the fence that it lacks, for the pair that its text is about. */
static void fig4_fixed(void) {
  store(&pm->x.value, 1);
  store(&pm->y.value, 2);
  store(&pm->x.value, 3);
  pm->y.value = 4;
  clwb(&pm->y);
  sfence();
  pm->x.value = 5;
}

/*
 * Figure 8: the first recovery reads x and stores y, the second one reads y. That one has been is persisted, so that they are told apart. Only
 * the two of them together have read what no crash leaves while stores are in order: y, and not x.
 */
static void fig8(void) { pm->x.value = 1; pm->y.value = 1; }
static void read_fig8(void) {
  if (pm->z.value == 0) {
    r1 = pm->x.value;
    store(&pm->z.value, 1);
    pm->y.value = 2;
  } else r2 = pm->y.value;
}
static void fig8_fixed(void) { store(&pm->x.value, 1); pm->y.value = 1; }
/* Here recovery reads x only where it has stored y: what it would have read had it not been cut off does not count. */
static void read_fig8_late(void) {
  if (pm->z.value == 0) {
    store(&pm->z.value, 1);
    store(&pm->y.value, 2);
    r1 = pm->x.value;
  } else r2 = pm->y.value;
}
/* Two stores of recovery's own that it does not put in order. */
static void read_fig8_own(void) {
  r1 = pm->z.value;
  r2 = pm->page.count;
  if (r1 != 0) return;
  pm->page.count = 1;
  store(&pm->z.value, 1);
}

/* ── Section 1.1: what needs no flush ───────────────────────────────────────────────────────────────────────────── */

/* A store may follow another to the same line at once: a line persists as a prefix. */
static void successor(void) { pm->x.value = 1; pm->x.near = 2; clflush(&pm->x); pm->y.value = 3; clflush(&pm->y); }
static void read_successor(void) { r1 = pm->y.value; r2 = pm->x.near; r3 = pm->x.value; }
/* Several stores to one line take one flush. */
static void several(void) {
  for (uint64_t i = 1; i <= 4; i++) { pm->x.value = i; pm->x.near = i; }
  clwb(&pm->x);
  sfence();
  store(&pm->y.value, 1);
}
/* Fences that a release or a sequentially consistent store would bring are not needed for it. */
static void unfenced(void) {
  __atomic_store_n(&pm->x.value, 1, __ATOMIC_RELAXED);
  clflush(&pm->x);
  __atomic_store_n(&pm->y.value, 1, __ATOMIC_RELAXED);
  clflush(&pm->y);
}
/* Scratch space that nobody reads after a crash. */
static void scratch(void) { pm->z.value = 1; store(&pm->x.value, 1); pm->z.value = 2; store(&pm->y.value, 1); }
/* A locked operation is the fence. */
static void locked(void) { pm->x.value = 1; clwb(&pm->x); __atomic_fetch_add(&pm->y.value, 1, __ATOMIC_SEQ_CST); clflush(&pm->y); }

/* ── What else counts ───────────────────────────────────────────────────────────────────────────────────────────── */

/* x is persisted, and z is lost although it comes before: a line that is persisted bounds the crash, too. */
static void persisted(void) { pm->z.value = 1; pm->x.value = 1; clflush(&pm->x); pm->y.value = 1; }
static void read_persisted(void) { r1 = pm->x.value; r2 = pm->z.value; }
/* Read 0, x may be from before 1 or from the last store: then y is missing. The values are those of the first crash. */
static void again(void) { pm->x.value = 1; pm->y.value = 1; pm->x.value = 0; clflush(&pm->x); }
static void read_again(void) { r1 = pm->x.value; r2 = pm->y.value; }

/* One store across two lines: of its pieces any may be kept, and none comes before another. */
static void torn(void) {
  _mm_storeu_si128((__m128i *)&pm->page.count, _mm_set_epi64x(7, 1));
  __asm__ volatile("" ::: "memory");
}
/* A checksum that a torn record passes: the two values are exchanged. */
static uint64_t weak_sum(uint64_t a, uint64_t b) { return a + b; }
static void weak_checksum(void) {
  store(&pm->x.value, 1); store(&pm->y.value, 2); store(&pm->z.value, weak_sum(1, 2));
  pm->x.value = 2; pm->y.value = 1;
  clwb(&pm->x); clwb(&pm->y); sfence();
  pm->x.value = 1; pm->y.value = 2;
  clwb(&pm->x); clwb(&pm->y); sfence();
}
static void read_weak_checksum(void) {
  if (weak_sum(pm->x.value, pm->y.value) == pm->z.value) r1 = 1;
}
static void alignment(void) { pm->page.count = 1; pm->page.entry = 7; clflush(&pm->page.count); clflush(&pm->page.entry); }
static void read_alignment(void) { r1 = pm->page.entry; r2 = pm->page.count; }

static const struct { const char *name; void (*run)(void), (*read)(void); } programs[] = {
    {"fig1", fig1, read_fig1},          {"fig2", fig2, read_fig2},         {"fig4", fig4, read_fig4},
    {"fig4-fixed", fig4_fixed, read_fig4}, {"successor", successor, read_successor}, {"several", several, read_successor},
    {"unfenced", unfenced, read_fig2},  {"scratch", scratch, read_fig2},   {"locked", locked, read_fig2},
    {"persisted", persisted, read_persisted}, {"again", again, read_again},
    {"weak-checksum", weak_checksum, read_weak_checksum}, {"alignment", alignment, read_alignment},
    {"torn", torn, read_alignment},
    {"fig8", fig8, read_fig8}, {"fig8-fixed", fig8_fixed, read_fig8}, {"fig8-late", fig8, read_fig8_late},
    {"fig8-own", fig1, read_fig8_own},
};

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  pm = map_pool(argv[2], sizeof *pm);
  if (strcmp(argv[1], "setup") == 0) return 0;
  int reads = strncmp(argv[1], "read-", 5) == 0;
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, argv[1] + (reads ? 5 : 0)) == 0) {
      if (reads) programs[i].read();
      else programs[i].run();
      return 0;
    }
  return 2;
}
