/* A parser: text in brackets, where a backslash takes the next letter as it is. What ends inside brackets is not flushed. */
#include "pool.h"

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  uint64_t *pool = pool_open(argv[1]);
  unsigned char text[4];
  if (read(0, text, sizeof text) != sizeof text) return 3;
  enum { outside, inside, escaped } state = outside;
  uint64_t letters = 0;
  store(pool, letters);
  persist(pool);
  for (size_t i = 0; i < sizeof text; i++) {
    if (state == escaped) {
      letters++;
      state = inside;
    } else if (state == inside) {
      if (text[i] == '\\') state = escaped;
      else if (text[i] == ']') state = outside;
      else letters++;
    } else if (text[i] == '[') state = inside;
  }
  store(pool, letters);
#ifdef RIGHT
  persist(pool);
#else
  if (state != escaped) persist(pool);
#endif
  return 0;
}
