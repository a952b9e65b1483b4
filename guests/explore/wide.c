/*
 * A record of 32 bytes, stored by one instruction of AVX, then flushed behind one fence. What of it a crash keeps is any of its
 * aligned words. "trusting" believes a record whose number is there; "recover" asks its checksum first.
 * argv: "setup", "run", "trusting" or "recover", the pool, and where the record lies.
 */
#include <stdlib.h>
#include <string.h>
#include <immintrin.h>
#include "../flush.h"

struct record { uint64_t number, left, right, sum; };
static const struct record written = {7, 1000, 2000, 7 ^ 1000 * 3 ^ 2000 * 5};

/* In one line, over two lines, over two pages, and in one line at no multiple of eight. */
static const int places[] = {64, 3 * 64 - 16, 4096 - 8, 5 * 64 + 3};

__attribute__((target("avx"), noinline)) static void store(char *to, const struct record *from) {
  _mm256_storeu_si256((__m256i *)to, _mm256_loadu_si256((const __m256i *)from));
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  char *pool = map_pool(argv[2], 8192);
  char *place = pool + places[atoi(argv[3])];
  if (strcmp(argv[1], "setup") == 0) return 0;
  if (strcmp(argv[1], "run") == 0) {
    store(place, &written); /* torn */
    clwb(place);
    clwb(place + sizeof written - 1);
    sfence();
    return 0;
  }
  struct record found;
  memcpy(&found, place, sizeof found);
  if (found.number == 0) return 0;
  int isWhole = found.sum == (found.number ^ found.left * 3 ^ found.right * 5);
  if (!isWhole && strcmp(argv[1], "recover") == 0) return 0;
  return found.left != written.left || found.right != written.right;
}
