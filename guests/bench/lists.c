// Linked lists of allocated nodes, built, walked and freed. Argument: rounds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node { struct node *next; uint64_t value; char rest[]; };

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  uint64_t sum = 0;
  for (int round = 0; round < rounds; round++) {
    struct node *head = 0;
    for (uint64_t i = 0; i < 50000; i++) {
      struct node *node = malloc(sizeof *node + (i * 37 + round) % 100);
      node->next = head;
      node->value = i;
      head = node;
      if (i % 3 == 0) {
        struct node *second = head->next;
        if (second) {
          head->next = second->next;
          free(second);
        }
      }
    }
    while (head) {
      struct node *next = head->next;
      sum = sum * 33 ^ head->value;
      free(head);
      head = next;
    }
  }
  printf("%llx\n", (unsigned long long)sum);
  return 0;
}
