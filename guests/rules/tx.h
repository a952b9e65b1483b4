/* A program's word about its transactions: pmemcheck's client requests, as its header numbers them. */
#ifndef TX_H
#define TX_H
#include <stdint.h>

static inline uint64_t client_request(uint64_t number, uint64_t first, uint64_t second) {
  volatile uint64_t arguments[6] = {number, first, second, 0, 0, 0};
  uint64_t result = 0;
  __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                   : "+d"(result) : "a"(arguments) : "cc", "memory");
  return result;
}
#define PMC 0x50430000u
#define tx_begin() client_request(PMC + 18, 0, 0)
#define tx_end() client_request(PMC + 20, 0, 0)
#define tx_add(p, n) client_request(PMC + 22, (uint64_t)(p), (n))
#endif
