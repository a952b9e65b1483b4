/*
 * For programs that blackout looks at. Elsewhere all of it costs nothing and needs no library.
 *
 * BLACKOUT_CHECKSUM(function); beside a function says that it takes a checksum: blackout explore then does not go through every
 * combination of what it reads, and assumes that the checksum tells them from what is right. By the function's name in the symbol table:
 * in C++, of functions that are extern "C".
 *
 * blackout_root is for programs whose heap blackout puts into persistent memory (blackout check --pm-heap FILE). Elsewhere
 * a root is memory like any other.
 *
 * blackout_symbolic(address, size, name) says that these bytes are unknown: blackout symbolic then follows every path that they make the
 * program take, and other commands run the program as if it were not there.
 */
#ifndef BLACKOUT_H
#define BLACKOUT_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define BLACKOUT_CHECKSUM(function) static const char blackout_checksum_##function __attribute__((used)) = 0

/* Where the heap's file is mapped, in every run; its first part holds the roots, each at a place of its own. */
#define BLACKOUT_HEAP_BASE 0x40000000ul
#define BLACKOUT_ROOTS 64u
#define BLACKOUT_ROOT_BYTES 65536u

/*
 * The root with this number, the same memory in every run, zero in the first one: what recovery starts from. NULL for a number from
 * BLACKOUT_ROOTS on, and for more than BLACKOUT_ROOT_BYTES.
 */
static inline void *blackout_root(unsigned id, size_t size) {
  static void *elsewhere[BLACKOUT_ROOTS];
  if (id >= BLACKOUT_ROOTS || size > BLACKOUT_ROOT_BYTES) return NULL;
  if (getenv("BLACKOUT_PM_HEAP") != NULL) return (void *)(uintptr_t)(BLACKOUT_HEAP_BASE + (size_t)id * BLACKOUT_ROOT_BYTES);
  if (elsewhere[id] == NULL) elsewhere[id] = calloc(1, size);
  return elsewhere[id];
}

/* A request as Valgrind takes them: instructions that change nothing, and that the machine knows. */
static inline void blackout_symbolic(void *address, size_t size, const char *name) {
#if defined(__x86_64__)
  volatile uint64_t request[6] = {0x424f0000u, (uintptr_t)address, size, (uintptr_t)name, 0, 0};
  uint64_t answer = 0;
  __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                   : "+d"(answer)
                   : "a"(&request[0])
                   : "cc", "memory");
#else
  (void)address, (void)size, (void)name;
#endif
}

#endif
