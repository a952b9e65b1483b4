/* What malloc and its kin promise, tried at random in two threads. Run "first" it leaves a list at a root, run "second" it finds it. */
#include "../../include/blackout.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { pieces = 64, rounds = 600 };
struct item { struct item *next; long number; };

static void demand(int holds, const char *what) {
  if (holds) return;
  printf("%s\n", what);
  exit(1);
}
static unsigned next_random(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}
static unsigned char *new_piece(unsigned how, size_t size) {
  void *piece = NULL;
  if (how % 4 == 0) piece = malloc(size);
  if (how % 4 == 1) {
    piece = calloc(1, size);
    for (size_t i = 0; i < size; i++) demand(((char *)piece)[i] == 0, "calloc gives zeros");
  }
  if (how % 4 == 2) {
    size_t alignment = 16ul << how % 9;
    demand(posix_memalign(&piece, alignment, size) == 0 && (uintptr_t)piece % alignment == 0, "posix_memalign aligns");
  }
  if (how % 4 == 3) piece = aligned_alloc(64, (size + 63) & ~63ul);
  demand(piece != NULL && (uintptr_t)piece % 16 == 0, "a piece is aligned");
  demand(malloc_usable_size(piece) >= size, "a piece is as long as was asked for");
  return piece;
}
/* Each piece is full of its own letter: who shares memory notices. */
static void *try_all(void *seed) {
  unsigned state = (unsigned)(uintptr_t)seed;
  unsigned char *piece[pieces] = {0};
  size_t bytes[pieces] = {0};
  for (int round = 0; round < rounds; round++) {
    unsigned at = next_random(&state) % pieces, size = 1 + next_random(&state) % (round % 50 == 0 ? 200000 : 700);
    unsigned char letter = (unsigned char)(at + (uintptr_t)seed);
    for (size_t i = 0; i < bytes[at]; i++) demand(piece[at][i] == letter, "a piece is nobody else's");
    if (piece[at] != NULL && next_random(&state) % 3 == 0) {
      piece[at] = realloc(piece[at], size);
      for (size_t i = 0; i < size && i < bytes[at]; i++) demand(piece[at][i] == letter, "realloc keeps what was there");
    } else {
      free(piece[at]);
      piece[at] = new_piece(next_random(&state), size);
    }
    bytes[at] = size;
    memset(piece[at], letter, size);
  }
  for (int i = 0; i < pieces; i++) free(piece[i]);
  return NULL;
}
int main(int argc, char **argv) {
  struct item **list = blackout_root(1, sizeof *list);
  demand(blackout_root(BLACKOUT_ROOTS, 1) == NULL && blackout_root(0, BLACKOUT_ROOT_BYTES + 1) == NULL, "roots are bounded");
  if (argc > 1 && strcmp(argv[1], "second") == 0) {
    long sum = 0;
    for (struct item *item = *list; item != NULL; item = item->next) sum += item->number;
    demand(sum == 45, "the list is there");
    for (int i = 0; i < 100; i++) memset(malloc(32), 0xff, 32);
    for (struct item *item = *list; item != NULL; item = item->next) sum -= item->number;
    demand(sum == 0, "nothing of it is given away");
    free(*list);
    demand((*list)->number == 9, "an earlier run's piece stays");
    struct item *longer = realloc(*list, 400);
    demand(longer->number == 9, "and can be made longer");
  } else if (argc > 1) {
    for (long i = 0; i < 10; i++) {
      struct item *item = malloc(sizeof *item);
      *item = (struct item){*list, i};
      *list = item;
    }
  } else {
    pthread_t other;
    pthread_create(&other, NULL, try_all, (void *)7);
    try_all((void *)100);
    pthread_join(other, NULL);
    demand(malloc(1ul << 40) == NULL && errno == ENOMEM, "there is an end");
    demand(realloc(NULL, 0) != NULL, "nothing is something");
  }
  printf("fine\n");
  return 0;
}
