/*
 * Loads and stores of all sizes at random places of a mapped file, of which some lie across words, lines and pages, from the same
 * few instructions over and over. At last a word that was read before becomes unreadable and is read again: exit code 7.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES 8192

static uint32_t state;
static uint32_t draw(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static uint64_t load(const char *at, uint32_t kind) {
  __m128i wide;
  switch (kind) {
  case 0: return *(const volatile uint8_t *)at;
  case 1: return *(const volatile uint16_t *)at;
  case 2: return *(const volatile uint32_t *)at;
  case 3: return *(const volatile uint64_t *)at;
  default:
    __asm__ volatile("movdqu %1, %0" : "=x"(wide) : "m"(*(const char(*)[16])at));
    return (uint64_t)_mm_cvtsi128_si64(wide);
  }
}

static void store(char *at, uint32_t kind, uint64_t value) {
  __m128i wide = _mm_set1_epi64x((long long)value);
  switch (kind) {
  case 0: *(volatile uint8_t *)at = (uint8_t)value; break;
  case 1: *(volatile uint16_t *)at = (uint16_t)value; break;
  case 2: *(volatile uint32_t *)at = (uint32_t)value; break;
  case 3: *(volatile uint64_t *)at = value; break;
  default: __asm__ volatile("movdqu %1, %0" : "=m"(*(char(*)[16])at) : "x"(wide));
  }
}

static void segment(int signal) { _exit(signal == SIGSEGV ? 7 : 8); }

int main(int argc, char **argv) {
  int fd = open(argv[argc - 1], O_RDWR);
  char *pool = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  uint64_t sum = 0;
  state = (uint32_t)atoi(argv[1]);
  for (int i = 0; i < 6000; i++) {
    uint32_t what = draw(), kind = what % 5, at = draw() % (BYTES - 16);
    if (what >> 8 & 3) at &= ~((1u << kind) - 1);
    if ((what >> 16) % 8 == 0) store(pool + at, kind, sum);
    else sum += load(pool + at, kind);
  }
  signal(SIGSEGV, segment);
  sum += load(pool, 3);
  mprotect(pool, BYTES, PROT_NONE);
  sum += load(pool, 3);
  return (int)(sum & 1);
}
