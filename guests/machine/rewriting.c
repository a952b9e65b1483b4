// Writes code, runs it, writes other code to the same place; runs code into a page that at times cannot be run.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static sigjmp_buf back;
static void fault(int number) { siglongjmp(back, number); }

static void put(unsigned char *at, unsigned value) {
  unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3}; // mov eax, value; ret
  memcpy(code + 1, &value, sizeof value);
  memcpy(at, code, sizeof code);
}

static int call(unsigned char *at) {
  int number = sigsetjmp(back, 1);
  return number ? -number : ((int (*)(void))at)();
}

int main(void) {
  unsigned char *code = mmap(0, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  signal(SIGSEGV, fault);
  unsigned sum = 0;
  for (unsigned round = 0; round < 40; round++) {
    put(code, round % 20); // more kinds of code than are kept, and each of them again
    sum = 31 * sum + call(code);
  }
  memset(code + 4000, 0x90, 96); // nop, up to the page's end
  for (unsigned round = 0; round < 12; round++) {
    mprotect(code + 4096, 4096, PROT_READ | PROT_WRITE | (round % 3 ? PROT_EXEC : 0));
    put(code + 4096, round % 2);
    sum = 31 * sum + call(code + 4080);
  }
  for (unsigned round = 0; round < 300; round++) { // hot, and then not to be run, though nothing was written
    mprotect(code, 4096, PROT_READ | (round % 100 < 90 ? PROT_EXEC : 0));
    sum = 31 * sum + call(code);
  }
  mprotect(code, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  for (unsigned round = 0; round < 3000; round++) { // two functions, the one behind them all rewritten now and then
    if (round % 50 == 0) put(code + 4096, round);
    sum = 31 * sum + call(code) + call(code + 4096);
  }
  printf("%u\n", sum);
  return 0;
}
