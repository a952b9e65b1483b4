// Stores to persistent memory under calling contexts that are hard to follow. Each `put` says which functions of this file
// its stack must name, innermost first.
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <pthread.h>
#include <stdexcept>
#include <sched.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define OUTLINE __attribute__((noinline, noipa))

static volatile uint64_t *pool;
static int used;
static sigjmp_buf back;
static jmp_buf plain;

/* Each call stores to a line of its own, so each is a finding of its own. */
#define put() (pool[8 * __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED)] = 1)

OUTLINE static void in_handler() { put(); } // stack: in_handler, handler, interrupted, main
static void handler(int) {
  in_handler();
  asm volatile("");
}
OUTLINE static void interrupted() {
  raise(SIGUSR1);
  put(); // stack: interrupted, main
}

OUTLINE static void in_alternate() { put(); } // stack: in_alternate, on_alternate, below, main
static void on_alternate(int) {
  in_alternate();
  asm volatile("");
}
OUTLINE static void below() {
  raise(SIGUSR2);
  put(); // stack: below, main
}

OUTLINE static void jumps() { siglongjmp(back, 1); }
static void jumper(int) { jumps(); }
OUTLINE static void raises() { raise(SIGHUP); }
OUTLINE static void left_by_jump() {
  if (sigsetjmp(back, 1) == 0) raises();
  put(); // stack: left_by_jump, main
}

OUTLINE static void deep(int n) {
  if (n == 0) longjmp(plain, 1);
  deep(n - 1);
  put();
}
OUTLINE static void jumped_over() {
  if (setjmp(plain) == 0) deep(20);
  put(); // stack: jumped_over, main
}

OUTLINE static void throws(int n) {
  if (n == 0) throw std::runtime_error("far");
  throws(n - 1);
  put();
}
OUTLINE static void catches() {
  try {
    throws(10);
  } catch (const std::runtime_error &) {
    put(); // stack: catches, main
  }
  put(); // stack: catches, main
}

OUTLINE static void tail_called() { put(); } // stack: tail_called, calls_tail, main
OUTLINE static void tail_calls() { tail_called(); }
OUTLINE static void calls_tail() {
  tail_calls();
  put(); // stack: calls_tail, main
}

OUTLINE static void innermost() {
  for (int i = 0; i < 50; i++) sched_yield();
  put(); // stack: innermost, inner, thread
}
OUTLINE static void inner() {
  innermost();
  sched_yield();
  put(); // stack: inner, thread
}
static void *thread(void *) {
  inner();
  put(); // stack: thread
  return nullptr;
}

static void on(int signal, void (*function)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = function;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

int main() {
  int file = open("/tmp/pool", O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 65536) != 0) return 2;
  pool = static_cast<volatile uint64_t *>(mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  on(SIGUSR1, handler, 0);
  on(SIGUSR2, on_alternate, SA_ONSTACK);
  on(SIGHUP, jumper, SA_ONSTACK);
  interrupted();
  /* An alternate stack above the frames it interrupts, and one below them. */
  static char low[65536];
  char high[65536];
  for (char *stack : {high, low}) {
    stack_t alternate = {};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof high;
    sigaltstack(&alternate, nullptr);
    below();
    left_by_jump();
  }
  jumped_over();
  catches();
  calls_tail();
  pthread_t threads[2];
  for (pthread_t &each : threads) pthread_create(&each, nullptr, thread, nullptr);
  for (pthread_t &each : threads) pthread_join(each, nullptr);
  put(); // stack: main
  return 0;
}
