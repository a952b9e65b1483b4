/* What the processor and the kernel say at their edges, a line each: the same natively and in the machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static siginfo_t got;
static greg_t rip, trap;

static void caught(int number, siginfo_t *info, void *context) {
    got = *info;
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    rip = machine->gregs[REG_RIP];
    trap = machine->gregs[REG_TRAPNO];
    siglongjmp(back, number);
}

static unsigned char *page;

/* Runs these bytes, with a return behind them. */
static void bytes(const char *what, const char *code, size_t size) {
    unsigned char *at = page + 2048;
    memcpy(at, code, size);
    at[size] = 0xc3;
    int number = sigsetjmp(back, 1);
    if (number == 0) {
        __asm__ volatile("xor %%eax, %%eax; xor %%edx, %%edx; xor %%ecx, %%ecx; call *%0; cld"
                         :
                         : "r"(at)
                         : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
        printf("%s: runs\n", what);
    } else
        printf("%s: signal %d code %d rip %+ld trap %ld\n", what, number, got.si_code, (long)(rip - (greg_t)at), (long)trap);
}
#define BYTES(what, code) bytes(what, code, sizeof(code) - 1)

static void call(const char *what, long result) { printf("%s: %ld\n", what, result < 0 ? -errno : 0L); }

static void mxcsr_handler(int number, siginfo_t *info, void *context) {
    ((ucontext_t *)context)->uc_mcontext.fpregs->mxcsr |= 0xffff0000;
}

int main(void) {
    static char stack[65536];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    for (int number = 1; number < 32; number++)
        if (number == SIGSEGV || number == SIGILL || number == SIGBUS || number == SIGFPE || number == SIGTRAP) sigaction(number, &action, NULL);
    page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    BYTES("14 prefixes and nop", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90");
    BYTES("15 prefixes and nop", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90");
    BYTES("16 bytes with an immediate", "\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x48\x81\xc0\x01\x00\x00\x00");
    BYTES("lgs", "\x0f\xb5\x04\x24");
    BYTES("lss", "\x0f\xb2\x04\x24");
    BYTES("mov ss, ecx", "\x8e\xd1");
    BYTES("mov eax, ds", "\x8c\xd8");
    BYTES("iret", "\x48\xcf");
    BYTES("iretd", "\xcf");
    BYTES("retf", "\xcb");
    BYTES("hlt", "\xf4");
    BYTES("cli", "\xfa");
    BYTES("in", "\xec");
    BYTES("out", "\xee");
    BYTES("insb", "\x6c");
    BYTES("lgdt", "\x0f\x01\x10");
    BYTES("ltr", "\x0f\x00\xd8");
    BYTES("mov cr0", "\x0f\x20\xc0");
    BYTES("mov dr0", "\x0f\x21\xc0");
    BYTES("rdmsr", "\x0f\x32");
    BYTES("wbinvd", "\x0f\x09");
    BYTES("invlpg", "\x0f\x01\x38");
    BYTES("sysret", "\x48\x0f\x07");
    BYTES("sysexit", "\x0f\x35");
    BYTES("clts", "\x0f\x06");
    BYTES("int 3", "\xcc");
    BYTES("non-canonical load", "\x48\xb8\x00\x00\x00\x00\x00\x00\x00\x80\x8b\x00");
    BYTES("non-canonical store", "\x48\xb8\x00\x00\x00\x00\x00\x80\x00\x00\x89\x00");

    call("clone sighand without vm", syscall(SYS_clone, CLONE_SIGHAND | SIGCHLD, 0, 0, 0, 0));
    call("clone thread without sighand", syscall(SYS_clone, CLONE_THREAD | CLONE_VM, 0, 0, 0, 0));
    call("clone fs and newns", syscall(SYS_clone, CLONE_FS | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0));
    call("clone pidfd and detached", syscall(SYS_clone, CLONE_PIDFD | CLONE_DETACHED | SIGCHLD, 0, 0, 0, 0));
    call("clone newuser and fs", syscall(SYS_clone, CLONE_NEWUSER | CLONE_FS | SIGCHLD, 0, 0, 0, 0));

    int number = sigsetjmp(back, 1);
    if (number == 0) {
        struct sigaction bad = {.sa_sigaction = mxcsr_handler, .sa_flags = SA_SIGINFO};
        sigaction(SIGUSR1, &bad, NULL);
        raise(SIGUSR1);
        puts("sigreturn with a bad MXCSR: goes on");
    } else
        printf("sigreturn with a bad MXCSR: signal %d code %d\n", number, got.si_code);
    return 0;
}
