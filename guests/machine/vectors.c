/* What a program built for x86-64-v3 does, printed so that a real processor prints the same: loops that compilers make
 * vectors of, the C library's string functions at page ends, YMM registers across signals, and the XSAVE family. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static uint64_t digest = 14695981039346656037u;
static void mix(const void *data, size_t size) {
  for (size_t i = 0; i < size; i++) digest = (digest ^ ((const uint8_t *)data)[i]) * 1099511628211u;
}
static void report(const char *what) {
  printf("%s %016lx\n", what, digest);
  digest = 14695981039346656037u;
}

static float singles[1027];
static double doubles[1027];
static int32_t words[1027];
static uint8_t bytes[4099];

static void loops(void) {
  uint64_t state = 7;
  for (int i = 0; i < 1027; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    words[i] = state >> 33;
    singles[i] = (float)(int32_t)(state >> 32) / 65536.0f;
    doubles[i] = (double)(int64_t)state / 4294967296.0;
  }
  for (int i = 0; i < 4099; i++) bytes[i] = i * 31 + (i >> 5);
  double sum = 0;
  for (int round = 0; round < 12; round++)
    for (int i = 1; i < 1027; i++) {
      singles[i] = singles[i] * 0.75f + singles[i - 1] * 0.125f;
      doubles[i] = fma(doubles[i], 0.5, words[i]);
      words[i] = (words[i] << (i & 7)) ^ (words[i] >> (round & 15));
      if (words[i] < 0) words[i] += i;
    }
  for (int i = 0; i < 1027; i++) sum += doubles[i] > 0 ? sqrt(doubles[i]) : doubles[i];
  int gathered[1024];
  for (int i = 0; i < 1024; i++) gathered[i] = words[bytes[i] * 4];
  for (int i = 0; i < 1024; i++)
    if (bytes[i] & 1) gathered[i] = bytes[i + 1024] * 3;
  mix(singles, sizeof singles);
  mix(doubles, sizeof doubles);
  mix(words, sizeof words);
  mix(gathered, sizeof gathered);
  mix(&sum, sizeof sum);
  report("loops");
}

static void strings(void) {
  uint8_t *pages = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + 8192, 4096, PROT_NONE)) exit(1);
  uint8_t *end = pages + 8192;
  char copy[512];
  for (int length = 0; length < 260; length += length < 36 ? 1 : 29)
    for (int gap = 0; gap < 33; gap++) {
      char *text = (char *)end - length - 1 - gap;
      memset(text, 'a' + length % 20, length);
      text[length] = 0;
      size_t found[] = {strlen(text), strnlen(text, length / 2), (size_t)((char *)memchr(text, 0, length + 1) - text),
                        (size_t)(strchr(text, 0) - text), (size_t)(uintptr_t)strchr(text, 'z')};
      mix(found, sizeof found);
      memcpy(copy, text, length + 1);
      memmove(copy + 3, copy, length + 1);
      int order[] = {strcmp(text, copy + 3) > 0, memcmp(text, copy + 3, length + 1) > 0, strncmp(text, copy, length) > 0,
                     memcmp(text, copy + 3, length) == 0};
      mix(order, sizeof order);
      mix(copy, length + 4);
    }
  report("strings");
}

static __m256i inside, after;
static int has_area, in_use;
static void on_signal(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  uint8_t *area = (uint8_t *)((ucontext_t *)context)->uc_mcontext.fpregs;
  has_area = *(uint32_t *)(area + 464) == 0x46505853;
  in_use = *(uint32_t *)(area + 512) & 7;
  memcpy((uint8_t *)&inside + 16, area + 576 + 16 * 7, 16);
  memcpy(&inside, area + 160 + 16 * 7, 16);
  memset(area + 576 + 16 * 7, 0x5a, 8);
  __asm__ volatile("vpxor %%ymm7, %%ymm7, %%ymm7\n vpcmpeqd %%ymm8, %%ymm8, %%ymm8" ::: "ymm7", "ymm8");
}

static void signals(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, 0);
  __m256i before = _mm256_set_epi64x(0x1111, 0x2222, 0x3333, 0x4444), other = _mm256_set1_epi32(77), kept;
  const long own = getpid();
  register long process __asm__("rdi") = own, thread __asm__("rsi") = own, number __asm__("rdx") = SIGUSR1;
  register long call __asm__("rax") = 234; /* tgkill: the handler runs before the next instruction */
  __asm__ volatile("vmovdqu %5, %%ymm7\n vmovdqu %6, %%ymm8\n syscall\n vmovdqu %%ymm7, %1\n vmovdqu %%ymm8, %2"
                   : "+r"(call), "=m"(after), "=m"(kept)
                   : "r"(process), "r"(thread), "m"(before), "m"(other), "r"(number)
                   : "rcx", "r11", "ymm7", "ymm8", "memory");
  mix(&inside, 32);
  mix(&after, 32);
  mix(&kept, 32);
  printf("signal: %ld, area %d, components %d\n", call, has_area, in_use);
  report("registers across a signal");
}

static void saved(void) {
  static uint8_t area[8192] __attribute__((aligned(64)));
  for (int compacted = 0; compacted < 2; compacted++) {
    memset(area, 0, sizeof area);
    memset(area + 512 + 16, 0, 48);
    __m256i value = _mm256_set_epi64x(1, 2, 3, 4 + compacted), back;
    if (compacted) __asm__ volatile("vmovdqu %1, %%ymm9\n xsavec64 %0" : "+m"(area) : "m"(value), "a"(6), "d"(0) : "ymm9");
    else __asm__ volatile("vmovdqu %1, %%ymm9\n xsave64 %0" : "+m"(area) : "m"(value), "a"(6), "d"(0) : "ymm9");
    __asm__ volatile("vzeroall\n vpcmpeqd %%ymm9, %%ymm9, %%ymm9\n xrstor64 %1\n vmovdqu %%ymm9, %0"
                     : "=m"(back)
                     : "m"(area), "a"(4), "d"(0)
                     : "ymm0", "ymm1", "ymm2", "ymm3", "ymm4", "ymm5", "ymm6", "ymm7", "ymm8", "ymm9", "ymm10", "ymm11",
                       "ymm12", "ymm13", "ymm14", "ymm15");
    mix(&back, 32);
    mix(area + 160 + 16 * 9, 16);
    mix(area + 576 + 16 * 9, 16);
    printf("area %d: in use %d, format %016lx\n", compacted, area[512] & 6, *(uint64_t *)(area + 520));
    // What is not in use is cleared.
    area[512] = 0;
    __asm__ volatile("vpcmpeqd %%ymm9, %%ymm9, %%ymm9\n xrstor64 %1\n vmovdqu %%ymm9, %0"
                     : "=m"(back)
                     : "m"(area), "a"(4), "d"(0)
                     : "ymm9");
    mix(&back, 32);
  }
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  printf("XCR0 has %u\n", low & 7);
  report("saved state");
}

int main(void) {
  __builtin_cpu_init();
  printf("avx2 %d fma %d bmi2 %d\n", !!__builtin_cpu_supports("avx2"), !!__builtin_cpu_supports("fma"),
         !!__builtin_cpu_supports("bmi2"));
  loops();
  strings();
  signals();
  saved();
  return 0;
}
