/* Accesses of different sizes to the same bytes, and threads that fail, as functions for blackout prove. */
#include <assert.h>
#include <emmintrin.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LINE _Alignas(64)
#define FLUSH(x) _mm_clflush((const void *)&(x))

union word {
  volatile uint64_t whole;
  volatile uint32_t half[2];
  volatile uint8_t byte[8];
};
LINE union word word;
LINE union word words[4];
LINE volatile uint64_t seen[16];
#define SEEN(thread) (seen[8 * (thread)])

/* A word is stored at once, however it is read. */
void store_whole(void) { word.whole = 0x100000001; }
int halves_differ(void) { return word.half[0] != word.half[1]; }
int bytes_differ(void) { return word.byte[0] != word.byte[4]; }
/* Its halves are stored in order, and a line keeps their order. */
void store_halves(void) { word.half[0] = 1; word.half[1] = 1; }
int high_without_low(void) { return word.whole == 0x100000000; }
int low_without_high(void) { return word.whole == 1; }
void read_whole(void) { SEEN(0) = word.whole; }
int saw_high_without_low(void) { return SEEN(0) == 0x100000000; }
int saw_low_without_high(void) { return SEEN(0) == 1; }

/* Each stores one half and reads both: neither need see the other's, unless there is a fence. */
void half_and_whole(uint64_t index) { word.half[index] = 1; SEEN(index) = word.whole; }
void half_fence_whole(uint64_t index) { word.half[index] = 1; _mm_mfence(); SEEN(index) = word.whole; }
int neither_saw_the_other(void) { return SEEN(0) == 1 && SEEN(1) == 0x100000000; }

/* A byte inside a counter that is added to: 256 more is what the second byte counts. */
void add_256(void) { __atomic_fetch_add(&word.whole, 256, __ATOMIC_SEQ_CST); FLUSH(word); SEEN(0) = 1; }
void add_1_to_byte(void) { __atomic_fetch_add(&word.byte[1], 1, __ATOMIC_SEQ_CST); FLUSH(word); SEEN(1) = 1; }
void set_byte(void) { word.byte[1] = word.byte[1] + 1; FLUSH(word); SEEN(1) = 1; }
int added_is_lost(void) { return word.byte[1] < SEEN(0) + SEEN(1); }

/* Sixteen bytes, then parts of them; recovery finds them by an address that it has read. */
void clear_then_set(uint64_t index) { _mm_store_si128((__m128i *)&words[index], _mm_set1_epi8(1)); words[index].half[0] = 0; words[index].half[1] = 7; FLUSH(words[index]); SEEN(0) = index; }
int set_is_lost(void) { return SEEN(0) != 0 && words[SEEN(0) & 3].whole != 0x700000000; }

/* Recovery that writes, in another size than it reads. */
int repairs_high(void) {
  if (word.half[1] == 0) word.half[1] = word.half[0];
  return word.whole != 0 && word.whole != 0x100000001;
}

/* Threads that fail. */
LINE volatile uint64_t data;
LINE _Atomic uint64_t flag;
LINE volatile uint64_t *_Atomic place;
void data_then_flag(void) { data = 42; flag = 1; }
void flag_then_data(void) { flag = 1; data = 42; }
void assert_data(void) { if (flag) assert(data == 42); }
int nothing_is_wrong(void) { return data != 0 && data != 42; }
void publish_place(void) { place = &data; flag = 1; }
void flag_then_place(void) { flag = 1; place = &data; }
void follow_place(void) { if (flag) *place = 42; }

int main(void) { return 0; }
