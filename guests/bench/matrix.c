// Products of matrices of doubles. Argument: rounds.
#include <stdio.h>
#include <stdlib.h>

enum { size = 120 };
static double a[size][size], b[size][size], c[size][size];

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      a[i][j] = (i * j % 7) / 3.0;
      b[i][j] = (i + 2 * j) % 11 / 7.0;
    }
  double trace = 0;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++) {
        double sum = 0;
        for (int k = 0; k < size; k++) sum += a[i][k] * b[k][j];
        c[i][j] = sum;
      }
    for (int i = 0; i < size; i++) {
      trace += c[i][i];
      a[i][(i + round) % size] = c[i][i] / 1000;
    }
  }
  printf("%.9g\n", trace);
  return 0;
}
