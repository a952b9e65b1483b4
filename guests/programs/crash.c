/* Ends as its argument says: each way must reach the outside as it does natively. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static int overflow(void) {
  volatile char big[9 << 20];
  big[0] = 1;
  return big[0];
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "exit";
  printf("ends by %s\n", how);
  fflush(stdout);
  volatile int zero = 0;
  if (!strcmp(how, "exit")) return 7;
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "null")) *(volatile int *)NULL = 1;
  if (!strcmp(how, "divide")) printf("%d\n", 1 / zero);
  if (!strcmp(how, "illegal")) __builtin_trap();
  if (!strcmp(how, "term")) kill(getpid(), SIGTERM);
  if (!strcmp(how, "pipe")) {
    int ends[2];
    if (pipe(ends)) return 99;
    close(ends[0]);
    return (int)write(ends[1], "x", 1);
  }
  if (!strcmp(how, "stack")) return overflow();
  return 98;
}
