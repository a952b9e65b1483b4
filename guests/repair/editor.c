/*
 * Lines of text that are edited in ordinary memory and saved one after another: the functions that edit also write what is
 * saved. A line is as long as it says, in one line of memory; `saved` says how many of them count.
 */
#include "../check/structure.h"

#define LINES 6

struct text {
  char bytes[56];
  uint64_t length;
};

struct file {
  alignas(LINE) uint64_t saved;
  alignas(LINE) struct text lines[LINES];
};

static void insert(struct text *text, uint64_t at, char byte) {
  memmove(text->bytes + at + 1, text->bytes + at, text->length - at);
  text->bytes[at] = byte;
  text->length++;
}

static void replace(struct text *text, struct text by) {
  *text = by;
}

static void type(struct text *text, const char *word) {
  for (uint64_t at = 0; word[at] != 0; at++) insert(text, at, word[at]);
}

static void save(struct file *file, struct text text) {
  replace(&file->lines[file->saved], text);
  flush(&file->lines[file->saved], sizeof text);
  fence();
  file->saved++;
  persist(&file->saved, sizeof file->saved);
}

static const char *const words[LINES] = {"crash", "fence", "flush", "store", "line", "drain"};

static void work(struct file *file) {
  static alignas(LINE) struct text draft, undone;
  for (int i = 0; i < LINES; i++) {
    draft.length = 0;
    type(&draft, words[i]);
    for (int turn = 0; turn < 5; turn++) replace(&undone, draft);
    save(file, draft);
  }
  insert(&file->lines[0], 5, '!');
  flush(&file->lines[0], sizeof file->lines[0]);
  fence();
}

int main(int argc, char **argv) {
  struct file *file = pm_map(argv[1]);
  if (argc == 2 && file->saved == 0) work(file);
  for (uint64_t i = 0; i < file->saved; i++) {
    const struct text *text = &file->lines[i];
    uint64_t expected = strlen(words[i]);
    if (text->length < expected || memcmp(text->bytes, words[i], expected) != 0) fail(LOST, "line %d is lost", (int)i);
  }
  return 0;
}
