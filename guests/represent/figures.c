/*
 * The programs of the figures in Squint's chapter (seed 002, Figures 4.1 and 4.3 to 4.7), each field on a line of its own
 * unless said otherwise. The pool comes from --setup, all zero. argv: what to do, the pool; `show` prints what a crash left.
 */
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 4096
/* Not inlined: what main takes the pool for is nobody else's. */
#define apart __attribute__((noinline)) static
#define persist(p) do { clwb(p); sfence(); } while (0)
#define persist2(p, q) do { clwb(p); clwb(q); sfence(); } while (0)

struct abcd { _Alignas(64) volatile uint64_t A; _Alignas(64) volatile uint64_t B; _Alignas(64) volatile uint64_t C; _Alignas(64) volatile uint64_t D; };
struct near { _Alignas(64) volatile uint64_t A; _Alignas(64) volatile uint64_t B; volatile uint64_t C; };
struct other { _Alignas(64) volatile uint64_t Q; };
struct inner { _Alignas(64) volatile uint64_t X; _Alignas(64) volatile uint64_t Y; };
struct outer { _Alignas(64) volatile uint64_t W; struct inner in; };
struct unrelated { _Alignas(64) volatile uint64_t Z; };

/* Figures 4.1 and 4.3: A is persisted before B and C are stored. */
apart void one_before_two(struct abcd *x) {
  x->A = 1; persist(&x->A);
  x->B = 1; x->C = 1; persist2(&x->B, &x->C);
}
/* Figure 4.1 with B and C on one line. */
apart void two_on_a_line(struct near *x) {
  x->A = 1; persist(&x->A);
  x->B = 1; x->C = 1; persist(&x->B);
}
/* Figure 4.4: a part of a part belongs to both. */
apart void parts(struct outer *outer, struct unrelated *unrelated) {
  outer->W = 1; outer->in.X = 1; outer->in.Y = 1; unrelated->Z = 1;
  clwb(&outer->W); clwb(&outer->in.X); clwb(&outer->in.Y); persist(&unrelated->Z);
}
/* Figures 4.6 and 4.7: A, then B and C, then D. */
static void epoch(struct abcd *x, uint64_t value) {
  x->A = value; persist(&x->A);
  x->B = value; x->C = value; persist2(&x->B, &x->C);
  x->D = value; persist(&x->D);
}
apart void one_epoch(struct abcd *x) { epoch(x, 1); }
/* Figure 4.5: the second time, something else is persisted before D. */
apart void epochs(struct abcd *x, struct other *y) {
  epoch(x, 1);
  x->A = 2; persist(&x->A);
  x->B = 2; x->C = 2; persist2(&x->B, &x->C);
  y->Q = 2; persist(&y->Q);
  x->D = 2; persist(&x->D);
}

/* What is there of the fields, by their letters; what was stored twice, with a 2. */
static void show(const char *name, uint64_t value) {
  char text[2] = {name[0], (char)('0' + value)};
  if (value != 0 && write(1, text, value == 1 ? 1 : 2) < 0) abort();
}
apart void show_all(struct abcd *x, struct other *y) {
  show("A", x->A);
  show("B", x->B);
  show("C", x->C);
  show("D", x->D);
  show("Q", y->Q);
}
apart void show_near(struct near *x) {
  show("A", x->A);
  show("B", x->B);
  show("C", x->C);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  char *pool = map_pool(argv[2], POOL_BYTES);
  if (strcmp(argv[1], "one-before-two") == 0) one_before_two((struct abcd *)pool);
  else if (strcmp(argv[1], "two-on-a-line") == 0) two_on_a_line((struct near *)pool);
  else if (strcmp(argv[1], "parts") == 0) parts((struct outer *)pool, (struct unrelated *)(pool + 1024));
  else if (strcmp(argv[1], "epoch") == 0) one_epoch((struct abcd *)pool);
  else if (strcmp(argv[1], "epochs") == 0) epochs((struct abcd *)pool, (struct other *)(pool + 1024));
  else if (strcmp(argv[1], "show") == 0) show_all((struct abcd *)pool, (struct other *)(pool + 1024));
  else if (strcmp(argv[1], "show-near") == 0) show_near((struct near *)pool);
  return 0;
}
