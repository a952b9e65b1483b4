/* Store buffering and message passing on ordinary memory: what the four loads saw, a bit each, is the exit code. */
#include <pthread.h>

static volatile long x __attribute__((aligned(64))), y __attribute__((aligned(64)));
static long buffered[2] __attribute__((aligned(64))), passed[2] __attribute__((aligned(64)));

static void *left(void *unused) {
  x = 1;
  buffered[0] = y;
  return unused;
}
static void *right(void *unused) {
  y = 1;
  buffered[1] = x;
  return unused;
}
static void *writer(void *unused) {
  x = 1;
  y = 1;
  return unused;
}
static void *reader(void *unused) {
  passed[0] = y;
  passed[1] = x;
  return unused;
}
static void pair(void *(*one)(void *), void *(*other)(void *)) {
  pthread_t ids[2];
  x = y = 0;
  pthread_create(&ids[0], NULL, one, NULL);
  pthread_create(&ids[1], NULL, other, NULL);
  pthread_join(ids[0], NULL);
  pthread_join(ids[1], NULL);
}
int main(void) {
  pair(left, right);
  pair(writer, reader);
  return (int)(buffered[0] | buffered[1] << 1 | passed[0] << 2 | passed[1] << 3);
}
