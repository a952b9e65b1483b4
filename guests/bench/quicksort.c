// Quicksort and naive Fibonacci: calls, branches, memory. Argument: rounds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void quicksort(uint32_t *a, long low, long high) {
  while (low < high) {
    uint32_t pivot = a[(low + high) / 2];
    long i = low, j = high;
    while (i <= j) {
      while (a[i] < pivot) i++;
      while (a[j] > pivot) j--;
      if (i <= j) {
        uint32_t t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    quicksort(a, low, j);
    low = i;
  }
}

__attribute__((noinline)) static uint64_t fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  enum { count = 100000 };
  static uint32_t values[count];
  uint64_t sum = 0;
  for (int round = 0; round < rounds; round++) {
    uint32_t state = round + 1;
    for (int i = 0; i < count; i++) values[i] = state = state * 1664525u + 1013904223u;
    quicksort(values, 0, count - 1);
    sum = sum * 31 + values[count / 2] + fibonacci(24);
  }
  printf("%llx\n", (unsigned long long)sum);
  return 0;
}
