/*
 * Records that recovery can mend when a little of them is missing, and cannot when a certain mixture is: what one fence
 * covers persists in any combination. argv: "setup", "run", "ordered" or "recover", the pool, the number of a case.
 *
 * Each case has lines of data and a root that makes them count. "run" fences once for all of them; "ordered" persists the
 * data before the root, which cures every case. Recovery never minds what one line alone, all of them, or a prefix of the
 * flushes leaves.
 */
#include <emmintrin.h>
#include <string.h>
#include "../flush.h"

#define LINES 8
#define WORD(line, word) (((volatile uint64_t *)pool)[8 * (line) + (word)])
static char *pool;

static void fill(int first, int count) { for (int i = 0; i < count; i++) WORD(first + i, 0) = 9; }
static int present(int first, int count) {
  int found = 0;
  for (int i = 0; i < count; i++) found += WORD(first + i, 0) != 0;
  return found;
}
static void root(int line) { WORD(line, 0) = 1; }
static int has(int line) { return WORD(line, 0) != 0; }

/* ── A cut inside one line, another line lost, a third kept ─────────────────────────────────────────────────────── */

/* A slot's number and length, its payload, the index: a length can be had from the payload. */
static void slot(void) { WORD(0, 0) = 5; WORD(0, 1) = 3; WORD(1, 0) = 3; }
static int slot_broken(void) { return has(2) && WORD(0, 0) != 0 && WORD(0, 1) == 0 && !has(1); }
/* A header of three fields; the second can be had from the body. */
static void header(void) { WORD(0, 0) = 1; WORD(0, 1) = 2; WORD(0, 2) = 3; WORD(1, 0) = 2; }
static int header_broken(void) { return has(2) && WORD(0, 0) != 0 && WORD(0, 1) == 0 && !has(1); }
/* The third can. */
static void footer(void) { WORD(0, 0) = 1; WORD(0, 1) = 2; WORD(0, 2) = 3; WORD(1, 0) = 3; }
static int footer_broken(void) { return has(2) && WORD(0, 1) != 0 && WORD(0, 2) == 0 && !has(1); }
/* A pair that one wide store makes: of a torn one, the first half can be had from its twin. */
static void pair(void) {
  _mm_store_si128((__m128i *)pool, _mm_set_epi64x(8, 7));
  __asm__ volatile("" ::: "memory");
  WORD(1, 0) = 7;
}
static int pair_broken(void) { return has(2) && WORD(0, 0) == 0 && WORD(0, 1) != 0 && !has(1); }
/* A state that is 1, 2 and 1 again: while it is 2, the journal is needed. */
static void state(void) { WORD(0, 0) = 1; WORD(0, 0) = 2; WORD(0, 0) = 1; WORD(1, 0) = 4; }
static int state_broken(void) { return has(2) && WORD(0, 0) == 2 && !has(1); }

/* ── Exactly two of at least four lines ─────────────────────────────────────────────────────────────────────────── */

/* Three lines and their parity: one can be made again. */
static void parity(void) { WORD(0, 0) = 5; WORD(1, 0) = 6; WORD(2, 0) = 7; WORD(3, 0) = 5 ^ 6 ^ 7; }
static int parity_broken(void) { return has(4) && has(3) && present(0, 3) == 1; }
/* Two copies and a log that says which is newer. */
static void mirrors(void) { fill(0, 3); }
static int mirrors_broken(void) { return has(3) && has(1) && !has(0) && !has(2); }
/* Links of a list in both directions: either mends the other; without the second pair there is no list yet. */
static void links(void) { fill(0, 4); }
static int links_broken(void) { return has(4) && !has(0) && !has(1) && has(2) && has(3); }
/* Four votes. */
static void votes(void) { fill(0, 4); }
static int votes_broken(void) { return has(4) && present(0, 4) == 2; }
/* A block is marked in a bitmap and in a list; descriptor and data tell that it is used. */
static void marks(void) { fill(0, 4); }
static int marks_broken(void) { return has(4) && has(2) && has(3) && !has(0) && !has(1); }

/* ── Three and more ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* Three copies, an epoch. */
static void copies(void) { fill(0, 3); WORD(4, 0) = 2; }
static int copies_broken(void) { return has(3) && has(4) && present(0, 3) == 0; }
/* Four lines and two parities: two can be made again. */
static void parities(void) { fill(0, 6); }
static int parities_broken(void) { return has(6) && has(4) && has(5) && present(0, 4) == 1; }
/* Seven votes. */
static void majority(void) { fill(0, 7); }
static int majority_broken(void) { return has(7) && present(0, 7) == 3; }
/* Levels of a list in which each mends its neighbours. */
static void levels(void) { fill(0, 6); }
static int levels_broken(void) {
  return has(6) && !has(0) && !has(2) && !has(4) && has(1) && has(3) && has(5);
}
/* Two records, each half there, and of their two journals one. */
static void halves(void) { for (int i = 0; i < 2; i++) { WORD(i, 0) = 1; WORD(i, 1) = 2; } fill(2, 2); }
static int halves_broken(void) {
  return has(4) && WORD(0, 0) && !WORD(0, 1) && WORD(1, 0) && !WORD(1, 1) && !has(2) && has(3);
}

static const struct { void (*data)(void); int (*broken)(void); int root; const char *flushes; } cases[] = {
    {slot, slot_broken, 2, "012"},          {header, header_broken, 2, "012"},   {footer, footer_broken, 2, "102"},
    {pair, pair_broken, 2, "012"},          {state, state_broken, 2, "021"},     {parity, parity_broken, 4, "03142"},
    {mirrors, mirrors_broken, 3, "0123"},   {links, links_broken, 4, "01234"},   {votes, votes_broken, 4, "01234"},
    {marks, marks_broken, 4, "02134"},      {copies, copies_broken, 3, "03142"}, {parities, parities_broken, 6, "0415263"},
    {majority, majority_broken, 7, "01234567"}, {levels, levels_broken, 6, "0123456"}, {halves, halves_broken, 4, "01234"},
};

static void flush(const char *lines) {
  for (; *lines != 0; lines++) clwb(&WORD(*lines - '0', 0));
  sfence();
}

int main(int argc, char **argv) {
  unsigned number = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
  if (argc < 4 || number >= sizeof cases / sizeof *cases) return 2;
  pool = map_pool(argv[2], LINES * 64);
  if (strcmp(argv[1], "recover") == 0) return cases[number].broken();
  if (strcmp(argv[1], "setup") == 0) return 0;
  cases[number].data();
  if (strcmp(argv[1], "ordered") == 0) flush(cases[number].flushes);
  root(cases[number].root);
  flush(cases[number].flushes);
  return 0;
}
