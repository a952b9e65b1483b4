// Splitting, joining, searching and comparing text with the C library. Argument: rounds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  static const char *words[] = {"persistent", "memory", "crash", "flush", "fence", "line", "store", "a", "recovery", "of"};
  static char text[1 << 16];
  long total = 0;
  for (int round = 0; round < rounds; round++) {
    size_t length = 0;
    for (int i = 0; i < 6000; i++) {
      const char *word = words[(i * 7 + round) % 10];
      size_t size = strlen(word);
      memcpy(text + length, word, size);
      length += size;
      text[length++] = ' ';
    }
    text[length] = 0;
    for (char *at = text; (at = strstr(at, "flush ")); at++) total++;
    char *rest = text;
    for (char *word; (word = strsep(&rest, " ")); ) total += strcmp(word, "memory") == 0 ? 3 : word[0] == 'r';
    char line[64];
    for (int i = 0; i < 300; i++) total += snprintf(line, sizeof line, "%d:%s:%x", i, words[i % 10], i * round);
  }
  printf("%ld\n", total);
  return 0;
}
