/* A stack of nodes. BUG does not persist a node's link before the node counts: the first has none to lose. */
#include "hidden.h"

struct node { alignas(LINE) volatile uint64_t value; alignas(LINE) volatile uint64_t below; };
struct stack { alignas(LINE) volatile uint64_t top; volatile uint64_t used; struct node nodes[16]; };

static void push(struct stack *stack, uint64_t value) {
  struct node *node = &stack->nodes[stack->used];
  node->value = value;
  node->below = stack->top; /* blamed */
  flush((void *)&node->value, sizeof node->value);
#ifndef BUG
  flush((void *)&node->below, sizeof node->below);
#endif
  fence();
  stack->used = stack->used + 1;
  stack->top = stack->used;
  persist((void *)&stack->top, 16);
}

int main(int argc, char **argv) {
  struct stack *stack = pm_map(argv[1]);
  if (is_check(argc, argv)) {
    uint64_t linked = 0;
    for (uint64_t at = stack->top; at != 0; at = stack->nodes[at - 1].below) linked++;
    if (linked < stack->top) fail(LOST, "%lu of %lu are linked", linked, stack->top);
    return 0;
  }
  for (int i = 0; i < 10; i++) push(stack, 100 + i);
  close_pool(stack);
  return 0;
}
