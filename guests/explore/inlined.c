/*
 * A record of 32 lines whose checksum recovery takes in a loop of its own: the compiler has put the function into main. argv: "setup",
 * "run" or "recover", the pool. SUM picks the checksum, or one of the loops that look like one: total, most and copied, of which every
 * combination counts. EARLY: a word is used before the check; MISSES: the checksum misses the last words;
 * CARELESS: the record is used although the check says no. All three lose data.
 */
#include <string.h>
#include <stdlib.h>
#include "../flush.h"

#define LINES 32
#define WORDS (LINES * 8)

static inline __attribute__((always_inline)) uint64_t fnv(volatile uint64_t *words, int count) {
  uint64_t sum = 0xcbf29ce484222325ull;
  for (int i = 0; i < count; i++) sum = (sum ^ words[i]) * 0x100000001b3ull;
  return sum;
}

static inline __attribute__((always_inline)) uint64_t fletcher(const uint64_t *words, int count) {
  const uint32_t *halves = (const uint32_t *)words;
  uint32_t low = 0, high = 0;
  for (int i = 0; i < 2 * count; i++) {
    low += halves[i];
    high += low;
  }
  return (uint64_t)high << 32 | low;
}

/* What a compiler makes vectors of. */
static inline __attribute__((always_inline)) uint64_t weighted(const uint64_t *words, int count) {
  uint32_t sum = 0;
  const uint32_t *halves = (const uint32_t *)words;
  for (int i = 0; i < 2 * count; i++) sum += halves[i] * (2654435761u * (uint32_t)(i + 1) | 1u);
  return sum;
}

static inline __attribute__((always_inline)) uint64_t rotated(uint64_t lane) { return lane << 31 | lane >> 33; }

/* Four lanes, as xxhash has them. */
static inline __attribute__((always_inline)) uint64_t lanes(const uint64_t *words, int count) {
  uint64_t lane[4] = { 1, 2, 3, 4 };
  for (int i = 0; i < count; i += 4)
    for (int j = 0; j < 4; j++) lane[j] = rotated(lane[j] + words[i + j] * 0xc2b2ae3d27d4eb4full) * 0x9e3779b185ebca87ull;
  return lane[0] ^ rotated(lane[1] + rotated(lane[2] + rotated(lane[3])));
}

static uint32_t table[256];

static void make_table(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t sum = i;
    for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    table[i] = sum;
  }
}

static inline __attribute__((always_inline)) uint64_t crc_table(const uint64_t *words, int count) {
  uint32_t sum = ~0u;
  const unsigned char *bytes = (const unsigned char *)words;
  for (int i = 0; i < 8 * count; i++) sum = sum >> 8 ^ table[(sum ^ bytes[i]) & 0xff];
  return ~sum;
}

static inline __attribute__((always_inline)) uint64_t crc_instruction(const uint64_t *words, int count) {
  uint64_t sum = ~0u;
  for (int i = 0; i < count; i++) __asm__("crc32q %1, %0" : "+r"(sum) : "rm"(words[i]));
  return sum;
}

/* None of these tells all contents apart. */
static inline __attribute__((always_inline)) uint64_t total(const uint64_t *words, int count) {
  uint64_t sum = 0, last = 0;
  for (int i = 0; i < count; i++) sum += last = words[i];
  return sum + (last == 7);
}

static inline __attribute__((always_inline)) uint64_t most(const uint64_t *words, int count) {
  uint64_t most = 0;
  for (int i = 0; i < count; i++) most = words[i] > most ? words[i] : most;
  return most;
}

static volatile uint64_t copy[WORDS];
static inline __attribute__((always_inline)) uint64_t copied(const uint64_t *words, int count) {
  for (int i = 0; i < count; i++) copy[i] = words[i] * (uint64_t)(2 * i + 1);
  return copy[0] * 3 + copy[count - 1];
}

#ifdef MISSES
#define COUNT (WORDS - 4)
#else
#define COUNT WORDS
#endif
#define CHECKSUM(words) SUM((void *)(words), COUNT)

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  volatile uint64_t *words = map_pool(argv[2], (LINES + 1) * 64);
  make_table();
  if (strcmp(argv[1], "setup") == 0) return 0;
  if (strcmp(argv[1], "run") == 0) {
    for (int i = 0; i < WORDS; i++) words[i] = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15ull;
    words[WORDS] = CHECKSUM(words);
    for (int line = 0; line <= LINES; line++) clwb(&words[8 * line]);
    sfence();
    return 0;
  }
#ifdef EARLY
  if (words[17] != 0 && words[9] == 0) return 1;
#endif
  uint64_t stored = words[WORDS];
  int isRight = CHECKSUM(words) == stored;
  if (stored == 0) return 0;
#ifndef CARELESS
  if (!isRight) return 0;
#endif
  for (int i = 0; i < WORDS; i++)
    if (words[i] != (uint64_t)(i + 1) * 0x9e3779b97f4a7c15ull) return 1 + isRight;
  return 0;
}
