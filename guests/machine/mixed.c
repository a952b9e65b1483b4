// A little of everything that a program does all day: integers, floating point, strings, memory, files, recursion.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void sorting(void) {
  enum { count = 5000 };
  uint32_t *values = malloc(count * sizeof *values), state = 12345;
  for (int i = 0; i < count; i++) values[i] = state = state * 1664525u + 1013904223u;
  qsort(values, count, sizeof *values, by_value);
  uint64_t sum = 0;
  for (int i = 0; i < count; i++) sum = sum * 31 + values[i];
  printf("sorted %llu\n", (unsigned long long)sum);
  free(values);
}

static void floating(void) {
  double matrix[16][16], total = 0;
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++) matrix[i][j] = (i + 1) / (j + 1.5);
  for (int round = 0; round < 20; round++)
    for (int i = 0; i < 16; i++)
      for (int j = 0; j < 16; j++)
        for (int k = 0; k < 16; k++) total += matrix[i][k] * matrix[k][j] * 1e-3;
  printf("matrix %.12g %La\n", total, (long double)total / 3.0L);
}

static void strings(void) {
  char text[4096] = "";
  for (int i = 0; i < 200; i++) {
    char word[32];
    snprintf(word, sizeof word, "w%d,", i * i);
    strncat(text, word, sizeof text - strlen(text) - 1);
  }
  int commas = 0;
  for (char *at = text; (at = strchr(at, ',')); at++) commas++;
  printf("strings %zu %d %s\n", strlen(text), commas, strstr(text, "w1600"));
}

static void lists(void) {
  struct node { struct node *next; uint64_t value; } *head = NULL;
  for (uint64_t i = 0; i < 3000; i++) {
    struct node *node = malloc(sizeof *node + i % 64);
    *node = (struct node){head, i};
    head = node;
  }
  uint64_t sum = 0;
  while (head) {
    struct node *next = head->next;
    sum = sum * 33 ^ head->value;
    free(head);
    head = next;
  }
  printf("list %llx\n", (unsigned long long)sum);
}

int main(void) {
  printf("fibonacci %llu\n", (unsigned long long)fibonacci(18));
  sorting();
  floating();
  strings();
  lists();
  return 3;
}
