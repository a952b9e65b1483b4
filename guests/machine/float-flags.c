// SSE's status flags: asked for before and after they are cleared, in loops, handlers and threads.
#include <emmintrin.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

static volatile double zero = 0.0, one = 1.0, three = 3.0, huge = 1e308, tiny = 1e-308, least = 5e-324;
static volatile double nothing = NAN;
static volatile float small = 1e-38f, third = 1.0f / 3;

static void show(const char *what) {
  int raised = fetestexcept(FE_ALL_EXCEPT);
  printf("%s:%s%s%s%s%s, mxcsr %04x\n", what, raised & FE_INVALID ? " invalid" : "", raised & FE_DIVBYZERO ? " zero" : "",
         raised & FE_OVERFLOW ? " overflow" : "", raised & FE_UNDERFLOW ? " underflow" : "",
         raised & FE_INEXACT ? " inexact" : "", _mm_getcsr());
}

#define TRY(expression)             \
  do {                              \
    feclearexcept(FE_ALL_EXCEPT);   \
    volatile double r = expression; \
    (void)r;                        \
    show(#expression);              \
  } while (0)

static void each_operation(void) {
  TRY(one + one);
  TRY(one / three);
  TRY(one / zero);
  TRY(zero / zero);
  TRY(huge * huge);
  TRY(tiny * tiny);
  TRY(tiny / three);
  TRY(least + one);
  TRY(least + least);
  TRY(sqrt(-one));
  TRY((float)huge);
  TRY((float)tiny);
  TRY((float)(one / three));
  TRY(small * small);
  TRY((double)third);
  TRY((int)three);
  TRY((int)huge);
  TRY((int)(one / three));
  TRY((double)((int64_t)1 << 60 | 1));
  TRY(nothing < one);
  TRY(nothing == one);
  TRY(fmin(one, least));
  TRY(floor(one / three));
  TRY(rint(one / three));
  TRY(nearbyint(one / three));
  TRY(fma(one / three, three, -one));
  TRY(exp(huge));
  TRY(sin(three));
}

/** Flags of numbers all over the range, gathered and taken back every few rounds. */
static void loops(void) {
  uint64_t digest = 0, x = 1;
  double sum = 0;
  for (int i = 0; i < 20000; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    union { uint64_t bits; double number; } a = {.bits = x}, b = {.bits = x * 31 >> (i % 3 * 2)};
    sum = a.number * b.number + one / (i + 1);
    __m128d v = _mm_div_pd(_mm_set_pd(a.number, i), _mm_set_pd(three, b.number));
    sum += _mm_cvtsd_f64(v) < sum ? i : (float)b.number;
    digest = digest * 31 + (uint64_t)fetestexcept(FE_ALL_EXCEPT) + (_mm_getcsr() & 0x3f);
    if (i % 7 == 0) feclearexcept(i % 2 ? FE_ALL_EXCEPT : FE_DIVBYZERO | FE_INVALID);
  }
  printf("loops: %016llx\n", (unsigned long long)digest);
}

/** Only whole numbers: nothing is ever raised. */
static void exact_loop(void) {
  feclearexcept(FE_ALL_EXCEPT);
  volatile double sum = 0;
  for (int i = 0; i < 30000; i++) sum = sum + i * 2.0;
  show("whole numbers");
  fesetround(FE_UPWARD);
  for (int i = 0; i < 3000; i++) sum = sum * (1 + 1e-9);
  printf("%.17g\n", sum);
  show("rounded up");
  fesetround(FE_TONEAREST);
}

static void handler(int signal) {
  (void)signal;
  show("in the handler");
  volatile double r = one / zero;
  (void)r;
  show("at its end");
}

static void *thread(void *nothing) {
  show("in a thread");
  volatile double r = huge * huge;
  (void)r;
  show("at its end");
  return nothing;
}

int main(void) {
  volatile double r = one / three;
  (void)r;
  show("before anything");
  r = one / zero;
  show("and then");
  each_operation();
  loops();
  exact_loop();
  feclearexcept(FE_ALL_EXCEPT);
  r = tiny * tiny;
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  show("after the handler");
  pthread_t other;
  pthread_create(&other, 0, thread, 0);
  pthread_join(other, 0);
  show("after the thread");
  return 0;
}
