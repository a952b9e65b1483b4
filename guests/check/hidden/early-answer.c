/* A counter of answered requests. BUG answers between the flush and the fence. */
#include "hidden.h"

static void answer(volatile uint64_t *answered, int request) {
  *answered = request + 1; /* blamed */
  flush((void *)answered, sizeof *answered);
#ifdef BUG
  done(request);
  fence();
#else
  fence();
  done(request);
#endif
}

int main(int argc, char **argv) {
  volatile uint64_t *answered = pm_map(argv[1]);
  if (is_check(argc, argv)) {
    if ((int)*answered < acknowledged()) fail(LOST, "%d answered, %lu known", acknowledged(), *answered);
    return 0;
  }
  for (int request = 0; request < 5; request++) answer(answered, request);
  return 0;
}
