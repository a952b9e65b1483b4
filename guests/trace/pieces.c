/* Stores of every size at every place in and across two lines, wide ones with and without a hint. It needs AVX. */
#include "../flush.h"

#define STORE(form, value) __asm__ volatile(form : : "r"(at), value : "memory")

int main(int argc, char **argv) {
  char *pool = map_pool(argv[argc - 1], 4096);
  unsigned long bits = 0x1122334455667788;
  __asm__ volatile("movq %0, %%xmm0; movq %1, %%xmm1; punpcklqdq %%xmm1, %%xmm0" : : "r"(bits), "r"(~bits) : "xmm0", "xmm1");
  __asm__ volatile("vpshufd $0x4e, %%xmm0, %%xmm1; vinserti128 $1, %%xmm1, %%ymm0, %%ymm0" : : : "xmm0", "xmm1");
  for (int round = 0; round < 3; round++)
    for (char *at = pool + 48; at < pool + 80; at++) {
      STORE("movb %b1, (%0)", "r"(bits));
      STORE("movw %w1, (%0)", "r"(bits));
      STORE("movl %k1, (%0)", "r"(bits));
      STORE("movq %1, (%0)", "r"(bits));
      STORE("movntil %k1, (%0)", "r"(bits));
      STORE("movntiq %1, (%0)", "r"(bits));
      __asm__ volatile("movups %%xmm0, (%0)" : : "r"(at) : "memory");
      if ((unsigned long)at % 16 == 0) __asm__ volatile("movntdq %%xmm0, (%0)" : : "r"(at) : "memory");
      __asm__ volatile("vmovdqu %%ymm0, (%0)" : : "r"(at) : "memory");
      if ((unsigned long)at % 32 == 0) __asm__ volatile("vmovntdq %%ymm0, (%0)" : : "r"(at) : "memory");
    }
  return 0;
}
