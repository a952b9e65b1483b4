/* A text in the root object, copied there by the C library in a program on libpmemobj, and acknowledged before it is durable. */
#include "../check/obj/obj.h"

struct note {
  _Alignas(64) uint64_t length;
  _Alignas(64) char text[320];
};

static void work(PMEMobjpool *pool, void *root) {
  struct note *note = root;
  char text[320];
  memset(text, 'n', sizeof text - 1);
  text[sizeof text - 1] = 0;
  memcpy(note->text, text, sizeof text);
  note->length = strlen(text);
  pmemobj_persist(pool, &note->length, sizeof note->length);
  acknowledge();
}

static void inspect(PMEMobjpool *pool, void *root) {
  (void)pool;
  const struct note *note = root;
  if (note->length != strspn(note->text, "n") && note->length != 0) fail(BROKEN, "the text is damaged");
  say("%lu", note->length);
}

static const char *const contents[] = {"0", "319", NULL};

int main(int argc, char **argv) {
  static const struct guest guest = {sizeof(struct note), NULL, work, inspect, contents};
  return run_guest(&guest, argc, argv);
}
