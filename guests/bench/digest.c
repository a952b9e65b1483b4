// SHA-256 and CRC-32 of a buffer. Argument: rounds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t k[64], crc_table[256];

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void prepare(void) {
  // Fractional parts of cube roots of primes by integer Newton steps would be long; any constants serve a benchmark.
  uint32_t state = 0x428a2f98;
  for (int i = 0; i < 64; i++) k[i] = state = state * 1664525u + 1013904223u;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    crc_table[i] = c;
  }
}

static void block(uint32_t h[8], const uint8_t *p) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++) w[i] = (uint32_t)p[4 * i] << 24 | p[4 * i + 1] << 16 | p[4 * i + 2] << 8 | p[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  memcpy(v, h, sizeof v);
  for (int i = 0; i < 64; i++) {
    uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
    uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
    uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) h[i] += v[i];
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  enum { size = 1 << 18 };
  static uint8_t data[size];
  prepare();
  for (int i = 0; i < size; i++) data[i] = (uint8_t)(i * 7 + (i >> 8));
  uint32_t h[8] = {0}, crc = ~0u;
  for (int round = 0; round < rounds; round++) {
    for (int at = 0; at < size; at += 64) block(h, data + at);
    for (int i = 0; i < size; i++) crc = crc_table[(crc ^ data[i]) & 255] ^ crc >> 8;
  }
  printf("%08x %08x\n", h[0] ^ h[7], ~crc);
  return 0;
}
