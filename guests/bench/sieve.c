// The sieve of Eratosthenes, again and again. Argument: rounds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  enum { limit = 1000000 };
  static char composite[limit + 1];
  long total = 0;
  for (int round = 0; round < rounds; round++) {
    memset(composite, 0, sizeof composite);
    for (long i = 2; i * i <= limit; i++)
      if (!composite[i])
        for (long j = i * i; j <= limit; j += i) composite[j] = 1;
    for (long i = 2; i <= limit; i++) total += !composite[i];
  }
  printf("%ld\n", total);
  return 0;
}
