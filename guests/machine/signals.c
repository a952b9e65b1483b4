/* Signals: faults with their address, alternate stacks, masks, queues, restarts, timers, sigwait, longjmp. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf escape;
static volatile sig_atomic_t count;
static void *volatile fault_address;
static volatile int fault_code, fault_trap, on_alternate;
static char *alternate;

static void on_fault(int signal, siginfo_t *info, void *context) {
  ucontext_t *uc = context;
  char here;
  fault_address = info->si_addr;
  fault_code = info->si_code;
  fault_trap = (int)uc->uc_mcontext.gregs[REG_TRAPNO];
  on_alternate = &here >= alternate && &here < alternate + 65536;
  siglongjmp(escape, signal);
}

static void *guarded;
static void on_guard(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
  printf("guard hit at +%ld\n", (long)((char *)info->si_addr - (char *)guarded));
}

static void skip_divide(int signal, siginfo_t *info, void *context) {
  (void)signal;
  ucontext_t *uc = context;
  printf("divide: code %d, at rip %d\n", info->si_code, (void *)uc->uc_mcontext.gregs[REG_RIP] == info->si_addr);
  uc->uc_mcontext.gregs[REG_RIP] += 2;
  uc->uc_mcontext.gregs[REG_RAX] = 4242;
}

static void counting(int signal) { (void)signal, count++; }
static void queued(int signal, siginfo_t *info, void *context) {
  (void)context;
  printf("queued %d value %d code %d\n", signal - SIGRTMIN, info->si_value.sival_int, info->si_code);
}

static void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

static void faults(void) {
  stack_t stack = {.ss_size = 65536};
  alternate = stack.ss_sp = malloc(65536);
  sigaltstack(&stack, NULL);
  install(SIGSEGV, on_fault, SA_ONSTACK);
  install(SIGBUS, on_fault, SA_ONSTACK);
  install(SIGILL, on_fault, 0);
  install(SIGTRAP, on_fault, 0);
  int signal;
  if ((signal = sigsetjmp(escape, 1)) == 0) *(volatile int *)0x123 = 1;
  printf("null: %d address %p code %d trap %d alternate %d\n", signal, fault_address, fault_code, fault_trap, on_alternate);
  char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if ((signal = sigsetjmp(escape, 1)) == 0) page[5] = 1;
  printf("read-only: %d right address %d code %d\n", signal, fault_address == page + 5, fault_code);
  if ((signal = sigsetjmp(escape, 1)) == 0) *(volatile char *)0x8000000000000000 = 1;
  printf("non-canonical: %d address %p code %d trap %d\n", signal, fault_address, fault_code, fault_trap);
  if ((signal = sigsetjmp(escape, 1)) == 0) __asm__ volatile("ud2");
  printf("ud2: %d code %d trap %d\n", signal, fault_code, fault_trap);
  if ((signal = sigsetjmp(escape, 1)) == 0) __asm__ volatile("int3");
  printf("int3: %d code %d trap %d\n", signal, fault_code, fault_trap);
  if ((signal = sigsetjmp(escape, 1)) == 0) ((void (*)(void))page)();
  printf("no execute: %d right address %d code %d\n", signal, fault_address == page, fault_code);
  FILE *file = tmpfile();
  fputs("short", file), fflush(file);
  char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  if ((signal = sigsetjmp(escape, 1)) == 0) map[4096] = 1;
  printf("behind the end: %d right address %d code %d\n", signal, fault_address == map + 4096, fault_code);
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, NULL);
}

static void masks(void) {
  sigset_t set, pending;
  struct sigaction action = {.sa_handler = counting};
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR1);
  raise(SIGUSR1);
  sigpending(&pending);
  printf("blocked: count %d pending %d\n", (int)count, sigismember(&pending, SIGUSR1));
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  printf("unblocked: count %d\n", (int)count);
  sigprocmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), SIGUSR1);
  sigset_t none;
  sigemptyset(&none);
  int result = sigsuspend(&none);
  printf("sigsuspend: %d errno %d count %d\n", result, errno, (int)count);
  kill(getpid(), SIGUSR1);
  siginfo_t info;
  int taken = sigwaitinfo(&set, &info);
  printf("sigwaitinfo: %d from me %d code %d\n", taken, info.si_pid == getpid(), info.si_code);
  struct timespec soon = {0, 1000000};
  taken = sigtimedwait(&set, &info, &soon);
  printf("sigtimedwait: %d errno %d\n", taken, errno);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1);
  printf("ignored: count %d\n", (int)count);
}

static void queues(void) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < 3; i++) {
    install(SIGRTMIN + i, queued, 0);
    sigaddset(&set, SIGRTMIN + i);
  }
  sigprocmask(SIG_BLOCK, &set, NULL);
  sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = 20});
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1});
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 2});
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void *interrupt_main(void *target) {
  usleep(1000);
  pthread_kill(*(pthread_t *)target, SIGUSR2);
  usleep(1000);
  return NULL;
}
static int pair[2];
static void *interrupt_then_write(void *target) {
  interrupt_main(target);
  if (write(pair[1], "x", 1) != 1) abort();
  return NULL;
}

static void restarts(void) {
  pthread_t me = pthread_self(), other;
  char byte;
  if (pipe(pair)) abort();
  struct sigaction action = {.sa_handler = counting};
  sigaction(SIGUSR2, &action, NULL);
  pthread_create(&other, NULL, interrupt_main, &me);
  long got = read(pair[0], &byte, 1);
  printf("without restart: %ld errno %d\n", got, errno);
  pthread_join(other, NULL);
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, NULL);
  pthread_create(&other, NULL, interrupt_then_write, &me);
  got = read(pair[0], &byte, 1);
  printf("with restart: %ld %c\n", got, byte);
  pthread_join(other, NULL);
  pthread_create(&other, NULL, interrupt_main, &me);
  struct timespec long_time = {100, 0}, left;
  int result = nanosleep(&long_time, &left);
  printf("sleep: %d errno %d left %d\n", result, errno, left.tv_sec == 99 && left.tv_nsec > 0);
  pthread_join(other, NULL);
}

static void timers(void) {
  struct sigaction action = {.sa_handler = counting};
  sigaction(SIGALRM, &action, NULL);
  count = 0;
  struct itimerval timer = {.it_interval = {0, 2000}, .it_value = {0, 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
  while (count < 3) pause();
  timer = (struct itimerval){0};
  setitimer(ITIMER_REAL, &timer, NULL);
  printf("timer fired %d times\n", (int)count);
  alarm(1);
  pause();
  printf("alarm: %d, left %u\n", (int)count, alarm(0));
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  sigaction(SIGUSR1, NULL, &action);
  printf("reset: %d\n", action.sa_handler == SIG_DFL);
  sigaction(SIGVTALRM, &(struct sigaction){.sa_handler = counting}, NULL);
  count = 0;
  timer.it_value.tv_usec = 2000;
  setitimer(ITIMER_VIRTUAL, &timer, NULL);
  while (!count) continue;
  printf("virtual timer: %d\n", (int)count);
}

static double keep = 1.5;
static void spoil_registers(int signal) {
  (void)signal;
  keep = keep * 2 + 1;
  __asm__ volatile("pxor %%xmm7, %%xmm7\n fninit\n std\n cld" ::: "xmm7");
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  faults();
  guarded = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  install(SIGSEGV, on_guard, 0);
  ((volatile char *)guarded)[100] = 3;
  printf("stored after repair: %d\n", ((char *)guarded)[100]);
  install(SIGFPE, skip_divide, 0);
  long quotient;
  __asm__ volatile("xor %%edx, %%edx\n mov $10, %%eax\n xor %%ecx, %%ecx\n div %%ecx" : "=a"(quotient)::"rcx", "rdx");
  printf("after divide: %ld\n", quotient);
  masks();
  queues();
  restarts();
  timers();
  signal(SIGUSR1, spoil_registers);
  double in_register = 2.25;
  __asm__ volatile("movsd %0, %%xmm7" ::"m"(in_register) : "xmm7");
  long pid = getpid();
  register long tgkill_number __asm__("rax") = 200;
  __asm__ volatile("syscall" : "+r"(tgkill_number) : "D"(pid), "S"((long)SIGUSR1) : "rcx", "r11", "memory");
  __asm__ volatile("movsd %%xmm7, %0" : "=m"(in_register));
  printf("registers survive: %g %g\n", in_register, keep);
  signal(SIGSEGV, SIG_DFL);
  raise(SIGTERM);
  return 1;
}
