/*
 * Runs blocks of instructions on the real processor. Reads a batch from standard input and writes what became of every
 * case to standard output (records.ts has the layouts, places.ts the addresses; the numbers here repeat theirs).
 * A case always ends in a signal: the code page is filled with int3, and every other exception is one too. The handler
 * finds the whole state in its ucontext, so nothing of the tested block's state is disturbed by saving it.
 * The kernel puts a program's stack somewhere below 0x800000000000, and lets it grow by megabytes: addresses that tests
 * like best (0x7fff00000003) lie there now and then. So the runner has another stack, and the kernel's is unmapped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include <unistd.h>

#define CODE 0x11000000ul
#define CODE_SIZE 0x2000ul
#define DATA 0x20001000ul
#define DATA_SIZE 0x5000ul
#define READ_ONLY 0x20003000ul
#define HOLE 0x20004000ul
#define STATE 0x6b3d0000ul
#define STACK 0x2b3d5ac00000ul
#define STACK_SIZE 0x100000ul
#define PAGE 4096ul
#define PATCHES 2
#define PATCH_BYTES 128

struct input {
  uint64_t gpr[16];
  uint64_t rflags, fs_base, gs_base;
  uint64_t patch_address[PATCHES];
  uint64_t unused;
  uint8_t fx[512];
  uint8_t patch[PATCHES][PATCH_BYTES];
  uint8_t uppers[16][16];
};

struct output {
  uint64_t gpr[16];
  uint64_t rflags, fs_base, gs_base;
  uint64_t rip;
  uint32_t signal;
  int32_t code;
  uint64_t address;
  uint8_t fx[512];
  uint32_t changes, error;
  uint64_t pad;
  uint8_t uppers[16][16];
};

struct change {
  uint64_t address;
  uint64_t value;
};

struct group {
  uint32_t address, length, cases, pad;
};

/* At STATE: the input as it is loaded, then the entry address. */
static struct input *const state = (struct input *)STATE;
static uint64_t *const entry = (uint64_t *)(STATE + 0x800);
static struct output result;
static uint8_t pristine[DATA_SIZE], shadow[DATA_SIZE];
static uint64_t harness_fs;
/* At STATE, where both the assembly and the compiler find it: whether there are YMM registers. */
static uint32_t *const has_avx = (uint32_t *)(STATE + 0x818);

void enter_block(void);
void leave_block(void);

/* Registers are loaded from absolute addresses, so that no register is needed to load the last one. */
__asm__(
    ".text\n.globl enter_block\nenter_block:\n"
    "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
    "mov %rsp, 0x6b3d0808\n"
    "fxrstor64 0x6b3d00b0\n"
    "cmpl $0, 0x6b3d0818; je 1f\n"
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "vinsertf128 $1, 0x6b3d03b0 + 16 * \\n, %ymm\\n, %ymm\\n\n"
    ".endr\n"
    "1:\n"
    "mov 0x6b3d0090, %rax; wrgsbase %rax\n"
    "mov 0x6b3d0088, %rax; wrfsbase %rax\n"
    "pushq 0x6b3d0080; popfq\n"
    "mov 0x6b3d0000, %rax; mov 0x6b3d0008, %rcx; mov 0x6b3d0010, %rdx; mov 0x6b3d0018, %rbx\n"
    "mov 0x6b3d0028, %rbp; mov 0x6b3d0030, %rsi; mov 0x6b3d0038, %rdi\n"
    "mov 0x6b3d0040, %r8; mov 0x6b3d0048, %r9; mov 0x6b3d0050, %r10; mov 0x6b3d0058, %r11\n"
    "mov 0x6b3d0060, %r12; mov 0x6b3d0068, %r13; mov 0x6b3d0070, %r14; mov 0x6b3d0078, %r15\n"
    "mov 0x6b3d0020, %rsp\n"
    "jmp *0x6b3d0800\n"
    ".globl leave_block\nleave_block:\n"
    "mov 0x6b3d0808, %rsp\n"
    "pushq $0x202; popfq\n"
    "cmpl $0, 0x6b3d0818; je 1f; vzeroupper; 1:\n"
    "fninit; movl $0x1f80, 0x6b3d0810; ldmxcsr 0x6b3d0810\n"
    "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
    "ret\n");

static const int gregs[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* Leaves by a jump to the harness's stack instead of a return through the kernel. */
static void on_signal(int number, siginfo_t *info, void *context) {
  uint64_t fs, gs;
  __asm__ volatile("rdfsbase %0; rdgsbase %1" : "=r"(fs), "=r"(gs));
  __asm__ volatile("wrfsbase %0" ::"r"(harness_fs));
  const mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
  for (int i = 0; i < 16; i++) result.gpr[i] = machine->gregs[gregs[i]];
  result.rflags = machine->gregs[REG_EFL];
  result.fs_base = fs;
  result.gs_base = gs;
  result.rip = machine->gregs[REG_RIP];
  result.signal = number;
  result.code = info->si_code;
  result.address = (uint64_t)info->si_addr;
  result.error = machine->gregs[REG_ERR];
  memcpy(result.fx, machine->fpregs, 512);
  /* The XSAVE area behind it: its header's first word says whether the upper halves are other than zero (arch/x86/kernel/fpu/signal.c). */
  const uint8_t *area = (const uint8_t *)machine->fpregs;
  memset(result.uppers, 0, sizeof result.uppers);
  if (*has_avx && (area[512] & 4)) memcpy(result.uppers, area + 576, sizeof result.uppers);
  leave_block();
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void map(uint64_t address, size_t size, int protection) {
  if (mmap((void *)address, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) fail("mmap");
}

static void prepare(void) {
  map(CODE - PAGE, CODE_SIZE + 2 * PAGE, PROT_NONE);
  map(CODE, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
  map(DATA - PAGE, DATA_SIZE + 2 * PAGE, PROT_NONE);
  map(DATA, DATA_SIZE, PROT_READ | PROT_WRITE);
  map(STATE, PAGE, PROT_READ | PROT_WRITE);
  *has_avx = __builtin_cpu_supports("avx") != 0;
  memset((void *)CODE, 0xcc, CODE_SIZE);
  static uint8_t stack[65536];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  if (sigaltstack(&alternate, NULL)) fail("sigaltstack");
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], &action, NULL)) fail("sigaction");
  __asm__ volatile("rdfsbase %0" : "=r"(harness_fs));
}

static size_t take(void *to, size_t size) { return fread(to, 1, size, stdin); }

static void emit(const void *from, size_t size) {
  if (fwrite(from, 1, size, stdout) != size) fail("write");
}

static int writable(size_t offset) {
  uint64_t page = DATA + (offset & ~(PAGE - 1));
  return page != READ_ONLY && page != HOLE;
}

static void run_case(const struct input *input) {
  static struct change changes[DATA_SIZE / 8];
  for (int i = 0; i < PATCHES; i++)
    if (input->patch_address[i]) {
      memcpy((void *)input->patch_address[i], input->patch[i], PATCH_BYTES);
      memcpy(shadow + (input->patch_address[i] - DATA), input->patch[i], PATCH_BYTES);
    }
  memcpy(state, input, sizeof *input);
  enter_block();
  uint32_t count = 0;
  for (size_t page = 0; page < DATA_SIZE; page += PAGE) {
    if (!writable(page) || memcmp((void *)(DATA + page), shadow + page, PAGE) == 0) continue;
    for (size_t at = page; at < page + PAGE; at += 8) {
      uint64_t now = *(uint64_t *)(DATA + at);
      if (memcmp(&now, shadow + at, 8) == 0) continue;
      changes[count++] = (struct change){DATA + at, now};
      memcpy((void *)(DATA + at), pristine + at, 8);
    }
  }
  for (int i = 0; i < PATCHES; i++)
    if (input->patch_address[i]) {
      size_t at = input->patch_address[i] - DATA;
      memcpy((void *)(DATA + at), pristine + at, PATCH_BYTES);
      memcpy(shadow + at, pristine + at, PATCH_BYTES);
    }
  result.changes = count;
  emit(&result, sizeof result);
  emit(changes, count * sizeof *changes);
}

/* The kernel's stack, and what it puts beside it. */
static void unmap_stack(void) {
  static char maps[65536];
  size_t length = 0;
  int file = open("/proc/self/maps", O_RDONLY);
  for (ssize_t got; (got = read(file, maps + length, sizeof maps - 1 - length)) > 0;) length += got;
  close(file);
  for (char *line = strtok(maps, "\n"); line; line = strtok(0, "\n")) {
    if (!strstr(line, "[stack]") && !strstr(line, "[vvar]") && !strstr(line, "[vdso]")) continue;
    char *end;
    uint64_t from = strtoul(line, &end, 16), to = strtoul(end + 1, 0, 16);
    if (munmap((void *)from, to - from)) fail("munmap");
  }
}

static int run(void) {
  unmap_stack();
  prepare();
  if (take(pristine, DATA_SIZE) != DATA_SIZE) return 1;
  memcpy(shadow, pristine, DATA_SIZE);
  memcpy((void *)DATA, pristine, DATA_SIZE);
  if (mprotect((void *)READ_ONLY, PAGE, PROT_READ) || mprotect((void *)HOLE, PAGE, PROT_NONE)) fail("mprotect");
  struct group group;
  while (take(&group, sizeof group) == sizeof group) {
    uint8_t code[256];
    if (group.length > sizeof code || take(code, sizeof code) != sizeof code) return 1;
    memcpy((void *)(uintptr_t)group.address, code, group.length);
    *entry = group.address;
    for (uint32_t i = 0; i < group.cases; i++) {
      struct input input;
      if (take(&input, sizeof input) != sizeof input) return 1;
      run_case(&input);
    }
    memset((void *)(uintptr_t)group.address, 0xcc, group.length);
  }
  return fflush(stdout) ? 1 : 0;
}

__attribute__((noreturn, used)) static void run_and_exit(void) { _exit(run()); }

int main(void) {
  map(STACK, STACK_SIZE, PROT_READ | PROT_WRITE);
  __asm__ volatile("mov %0, %%rsp; call run_and_exit" ::"r"(STACK + STACK_SIZE));
  return 1;
}
