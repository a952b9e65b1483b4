/*
 * Stores of every width, aligned and not, exchanges, repeated strings forward and backward, loads, calls from two places, two
 * threads: what patches can be laid into. Each round does the same, often enough to be compiled.
 */
#include "../flush.h"
#include <emmintrin.h>
#include <pthread.h>
#include <string.h>

enum { rounds = 300, areaBytes = 1 << 16 };

static void __attribute__((noinline)) stores(char *at, uint64_t value) {
  *(volatile uint8_t *)at = (uint8_t)value;
  *(volatile uint16_t *)(at + 63) = (uint16_t)value;
  *(volatile uint32_t *)(at + 200) = (uint32_t)value;
  *(volatile uint64_t *)(at + 316) = value;
  _mm_storeu_si128((__m128i *)(at + 440), _mm_set1_epi64x((long long)value));
  _mm_stream_si64((long long *)(at + 512), (long long)value);
}

static uint64_t __attribute__((noinline)) exchanges(uint64_t *at, uint64_t value) {
  __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
  uint64_t expected = value & 1 ? *at : 0;
  __atomic_compare_exchange_n(at + 7, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return __atomic_exchange_n(at + 100, value, __ATOMIC_SEQ_CST);
}

static void __attribute__((noinline)) strings(char *to, const char *from, size_t bytes) {
  char *end = to;
  size_t left = bytes;
  __asm__ volatile("rep movsb" : "+D"(end), "+S"(from), "+c"(left)::"memory");
  char *last = to + 4096 + bytes - 8;
  left = bytes / 8;
  __asm__ volatile("std; rep stosq; cld" : "+D"(last), "+c"(left) : "a"(0x0102030405060708) : "memory");
  end = to + 8192;
  __asm__ volatile("movsb; stosw" : "+D"(end), "+S"(from) : "a"(7) : "memory");
}

static uint64_t __attribute__((noinline)) loads(const uint64_t *at) {
  return *(volatile const uint64_t *)at + *(volatile const uint64_t *)((const char *)at + 60);
}

static uint64_t __attribute__((noinline)) one(char *area, uint64_t value) {
  stores(area, value);
  sfence();
  return value + 1;
}
static uint64_t __attribute__((noinline)) other(char *area, uint64_t value) {
  stores(area + 1024, value);
  clwb(area + 1024);
  return exchanges((uint64_t *)(area + 4096), value) + 1;
}

static void *work(void *argument) {
  char *area = argument;
  char source[256];
  memset(source, 5, sizeof source);
  uint64_t sum = 0;
  for (int round = 0; round < rounds; round++) {
    sum += one(area, sum + (uint64_t)round);
    sum += other(area, sum);
    if (round % 16 == 0) strings(area + 16384, source, (size_t)(round % 200) + 8);
    sum += loads((uint64_t *)area);
  }
  return (void *)sum;
}

int main(int argc, char **argv) {
  char *pool = map_pool(argv[1], 2 * areaBytes);
  pthread_t thread;
  pthread_create(&thread, NULL, work, pool + areaBytes);
  uint64_t sum = (uint64_t)work(pool);
  void *result;
  pthread_join(thread, &result);
  /* More than the buffer of events takes: the instruction stops on its way and goes on. */
  if (argc > 2) {
    char *end = pool + 3;
    size_t left = areaBytes * 2 - 64;
    __asm__ volatile("rep stosb" : "+D"(end), "+c"(left) : "a"(9) : "memory");
  }
  printf("%llu %llu\n", (unsigned long long)sum, (unsigned long long)(uint64_t)result);
  return 0;
}
