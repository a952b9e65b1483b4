/*
 * What the oracles of Listing 2.5 look for, one case each: lines that are dirty or pending when the program ends or when
 * their memory is unmapped, flushes of lines that are clean or pending already, and fences with nothing pending. What
 * section 2.4.1 says of clflush (it needs no fence) and of non-temporal stores (they need one) is here as well.
 */
#include "../rules/pm.h"

static void stays_dirty(volatile uint64_t *word) {
  *word = 1;
  persist(word);
  *word = 2; // expect: missing-flush (error) in stays_dirty
}

static void stays_pending(volatile uint64_t *word) {
  *word = 1;
  clwb(word); // expect: missing-fence (error) in stays_pending
}

static void streams_without_fence(volatile uint64_t *word) {
  _mm_stream_si64((long long *)word, 1); // expect: nontemporal-unfenced (error) in streams_without_fence
}

static void streams_with_fence(volatile uint64_t *word) {
  _mm_stream_si64((long long *)word, 1);
  sfence();
}

static void flushed_by_clflush(volatile uint64_t *word) {
  *word = 1;
  clflush(word);
}

static void flushes_clean(volatile uint64_t *word) {
  *word = 1;
  persist(word);
  clwb(word); // expect: flush-clean (performance) in flushes_clean
  sfence();
}

static void flushes_pending(volatile uint64_t *word) {
  *word = 1;
  clwb(word);
  clwb(word); // expect: flush-twice (performance) in flushes_pending
  sfence();
}

static void fences_for_nothing(void) {
  sfence(); // expect: redundant-fence (performance) in fences_for_nothing
}

static void at_unmap(void) {
  struct pool *other = pm_map("/tmp/other");
  other->data = 1;
  persist(&other->data);
  other->data = 2; // expect: missing-flush (error) in at_unmap
  munmap(other, POOL_BYTES);
}

int main(void) {
  struct { _Alignas(64) volatile uint64_t word; } *lines = pm_map("/tmp/pool");
  at_unmap();
  streams_with_fence(&lines[0].word);
  flushed_by_clflush(&lines[1].word);
  flushes_clean(&lines[2].word);
  flushes_pending(&lines[3].word);
  fences_for_nothing();
  stays_dirty(&lines[4].word);
  stays_pending(&lines[5].word);
  streams_without_fence(&lines[6].word);
  return 0;
}
