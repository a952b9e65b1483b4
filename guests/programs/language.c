/* What C programs lean on: constructors, IFUNC, TLS, setjmp, variadics, wide formats, qsort, time, locale, environment. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int started;
__attribute__((constructor)) static void before(void) { started = 11; }
__attribute__((destructor)) static void after(void) { puts("destructor"); }
static int chosen(void) { return 77; }
static int (*choose(void))(void) { return chosen; }
int indirect(void) __attribute__((ifunc("choose")));
static __thread int own = 4;

static jmp_buf place;
static void jump(int depth) {
  if (depth == 0) longjmp(place, 6);
  jump(depth - 1);
}
static sigjmp_buf after_fault;
static void fault(int signal) { siglongjmp(after_fault, signal); }

static long sum(int count, ...) {
  va_list list;
  long total = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++) total += va_arg(list, int);
  va_end(list);
  return total;
}
static int downwards(const void *left, const void *right) { return *(const int *)right - *(const int *)left; }
static void goodbye(void) { puts("at exit"); }

int main(int argc, char **argv) {
  atexit(goodbye);
  printf("%d %d %d %d %s\n", started, indirect(), own, argc, argv[argc - 1]);
  int from = setjmp(place);
  if (from == 0) jump(20);
  printf("setjmp %d\n", from);
  signal(SIGSEGV, fault);
  signal(SIGFPE, fault);
  int got = sigsetjmp(after_fault, 1);
  volatile int zero = 0;
  if (got == 0) *(volatile int *)16 = 1;
  if (got == SIGSEGV) printf("%d\n", 5 / zero);
  printf("signal %s\n", got == SIGFPE ? "FPE" : "other");
  printf("%ld %.3Lf %a %g %e %10.4s|%-8d|%+05d|%n%%\n", sum(5, 1, 2, 3, 4, 5), 3.14159265358979L, 0.1, 1e-7, 12345.6789,
         "characters", 42, 42, &got);
  int numbers[100];
  for (int i = 0; i < 100; i++) numbers[i] = i * 7919 % 1009;
  qsort(numbers, 100, sizeof *numbers, downwards);
  printf("%d %d %d\n", numbers[0], numbers[50], numbers[99]);
  time_t moment = 1700000000;
  char text[64];
  strftime(text, sizeof text, "%A %d %B %Y %H:%M:%S", gmtime(&moment));
  puts(text);
  printf("%.17g %.17g %.17g %.17g\n", sin(1e10), pow(1.0001, 10000), exp(-2.5), log1p(1e-9));
  printf("%.20Lg %.20Lg %.20Lg\n", sinl(2), expl(1), powl(2, 0.5L));
  printf("%s %s\n", getenv("HOME"), strerror(ENOSPC));
  printf("%llu %lld %.0f\n", strtoull("18446744073709551615", NULL, 10), (long long)strtod("-9.5e3", NULL), rint(2.5));
  void *library = dlopen("libm.so.6", RTLD_NOW);
  double (*cosine)(double) = library ? (double (*)(double))dlsym(library, "cos") : NULL;
  printf("dlsym %.15f\n", cosine ? cosine(1) : 0);
  unsigned __int128 wide = (unsigned __int128)UINT64_MAX * UINT64_MAX / 12345;
  printf("%llx %llx\n", (unsigned long long)(wide >> 64), (unsigned long long)wide);
  char *block = NULL;
  for (size_t size = 1; size < 1 << 22; size *= 3) {
    block = realloc(block, size);
    memset(block, (int)size, size);
  }
  printf("%d\n", block[1000]);
  free(block);
  fflush(stdout);
  return 200;
}
