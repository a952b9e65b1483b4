/*
 * Runs a program that is given as data: operations on a pool, by one or two threads, and what recovery reads of it. So that
 * thousands of random programs need one binary. argv: "setup", "run" or "recover", the pool, the operations.
 *
 * An operation is a letter, an offset in hexadecimal, and for stores "=" and a value: b h w q x store 1, 2, 4, 8 and 16 bytes,
 * n eight non-temporal ones; f o k are clflush, clflushopt and clwb; s m sfence and mfence; e a c exchange, add and
 * compare-and-swap, locked; p prints. Threads are parted by "|".
 * By calls: W writes eight bytes, T cuts the pool short there and makes it as long as before, S syncs it; u unmaps it until the
 * next store.
 * Recovery: b h w q x read into a sum; "?N" leaves out the next N operations if the last value read was odd; "!" and an
 * offset store the sum and flush it; B Q X store it in 1, 8 and 16 bytes, K is clwb, S a fence, U makes a file beside the pool
 * and V removes it; "A" reads what was acknowledged, "F" whether there is that file; it fails when the sum is a multiple of five.
 * Before a ":", recovery has mapped nothing yet, and reads and writes the pool by calls: r w read and write eight bytes, t cuts it short
 * there and makes it as long as before, n puts a new file in its place that holds the sum there.
 */
#include <emmintrin.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 4096
static char *pool;
static const char *pool_path;
static char beside[256];

static uint64_t hex(const char **at) {
  char *end;
  uint64_t number = strtoull(*at, &end, 16);
  *at = end;
  return number;
}

/* By calls, whether the pool is mapped or not. */
static void change(char what, uint64_t at, uint64_t value) {
  int fd = open(pool_path, O_RDWR);
  int done = fd >= 0;
  if (what == 'W') done = done && pwrite(fd, &value, sizeof value, (off_t)at) == sizeof value;
  else if (what == 'T') done = done && ftruncate(fd, (off_t)at) == 0 && ftruncate(fd, POOL_BYTES) == 0;
  else done = done && fsync(fd) == 0;
  if (!done) exit(2);
  close(fd);
}

static void *execute(void *text) {
  const char *at = text;
  while (*at != 0 && *at != '|') {
    char what = *at++;
    if (what == ' ') continue;
    if (what == 's') { sfence(); continue; }
    if (what == 'm') { __asm__ volatile("mfence" ::: "memory"); continue; }
    if (what == 'p') { if (write(1, "p\n", 2) != 2) exit(2); continue; }
    if (what == 'y') { sched_yield(); continue; }
    if (what == 'u') { if (pool != NULL) munmap(pool, POOL_BYTES); pool = NULL; continue; }
    uint64_t offset = what == 'S' ? 0 : hex(&at);
    uint64_t value = 0;
    if (*at == '=') { at++; value = hex(&at); }
    if (strchr("WTS", what) != NULL) { change(what, offset, value); continue; }
    if (pool == NULL) pool = map_pool(pool_path, POOL_BYTES);
    char *place = pool + offset;
    switch (what) {
    case 'b': *(volatile uint8_t *)place = (uint8_t)value; break;
    case 'h': *(volatile uint16_t *)place = (uint16_t)value; break;
    case 'w': *(volatile uint32_t *)place = (uint32_t)value; break;
    case 'q': *(volatile uint64_t *)place = value; break;
    case 'x': _mm_storeu_si128((__m128i *)place, _mm_set_epi64x((long long)~value, (long long)value)); __asm__ volatile("" ::: "memory"); break;
    case 'n': _mm_stream_si64((long long *)place, (long long)value); __asm__ volatile("" ::: "memory"); break;
    case 'f': clflush(place); break;
    case 'o': clflushopt(place); break;
    case 'k': clwb(place); break;
    case 'e': __atomic_exchange_n((uint64_t *)place, value, __ATOMIC_SEQ_CST); break;
    case 'a': __atomic_fetch_add((uint64_t *)place, value, __ATOMIC_SEQ_CST); break;
    case 'c': { uint64_t old = value >> 4; __atomic_compare_exchange_n((uint64_t *)place, &old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); break; }
    default: exit(2);
    }
  }
  return NULL;
}

static uint64_t acknowledged(void) {
  const char *path = getenv("BLACKOUT_ACKED");
  int fd = path == NULL ? -1 : open(path, O_RDONLY);
  char bytes[64];
  ssize_t count = fd < 0 ? 0 : read(fd, bytes, sizeof bytes);
  return (uint64_t)count;
}

static uint64_t sum = 1;

static int new_pool(const char *path) {
  char fresh[256];
  snprintf(fresh, sizeof fresh, "%s.new", path);
  int fd = open(fresh, O_CREAT | O_TRUNC | O_RDWR, 0600);
  if (fd < 0 || ftruncate(fd, POOL_BYTES) != 0) exit(2);
  return fd;
}

static const char *call(const char *path, const char *at) {
  const char *end = strchr(at, ':');
  if (end == NULL) return at;
  uint64_t value = 0;
  int leave = 0;
  while (at < end) {
    char what = *at++;
    if (what == ' ') continue;
    uint64_t number = hex(&at);
    if (leave > 0) { leave--; continue; }
    if (what == '?') { leave = value & 1 ? (int)number : 0; continue; }
    int fd = what == 'n' ? new_pool(path) : open(path, O_RDWR);
    int done = 1;
    if (what == 'r') done = pread(fd, &value, sizeof value, (off_t)number) >= 0;
    else if (what == 't') done = ftruncate(fd, (off_t)number) == 0 && ftruncate(fd, POOL_BYTES) == 0;
    else done = pwrite(fd, &sum, sizeof sum, (off_t)number) == sizeof sum;
    close(fd);
    if (what == 'n') {
      char fresh[256];
      snprintf(fresh, sizeof fresh, "%s.new", path);
      done = done && rename(fresh, path) == 0;
    }
    if (!done) exit(2);
    if (what == 'r') sum = sum * 7 + value;
  }
  return end + 1;
}

static int recover(const char *at) {
  uint64_t value = 0;
  int leave = 0;
  while (*at != 0) {
    char what = *at++;
    if (what == ' ') continue;
    uint64_t number = strchr("AFSUV", what) != NULL ? 0 : hex(&at);
    char *place = pool + number;
    if (leave > 0) { leave--; continue; }
    switch (what) {
    case 'b': value = *(volatile uint8_t *)place; break;
    case 'h': value = *(volatile uint16_t *)place; break;
    case 'w': value = *(volatile uint32_t *)place; break;
    case 'q': value = *(volatile uint64_t *)place; break;
    case 'x': value = *(volatile uint64_t *)place ^ 3 * *(volatile uint64_t *)(place + 8); break;
    case 'A': value = acknowledged(); break;
    case '?': leave = value & 1 ? (int)number : 0; continue;
    case 'F': value = (uint64_t)(access(beside, F_OK) == 0); break;
    case 'U': close(open(beside, O_CREAT | O_WRONLY, 0600)); continue;
    case 'V': unlink(beside); continue;
    case 'B': *(volatile uint8_t *)place = (uint8_t)sum; continue;
    case 'Q': *(volatile uint64_t *)place = sum; continue;
    case 'X': _mm_storeu_si128((__m128i *)place, _mm_set_epi64x((long long)~sum, (long long)sum)); __asm__ volatile("" ::: "memory"); continue;
    case 'K': clwb(place); continue;
    case 'S': sfence(); continue;
    case '!': *(volatile uint64_t *)place = sum; clwb(place); sfence(); continue;
    default: return 2;
    }
    sum = sum * 7 + value;
  }
  printf("%llx\n", (unsigned long long)sum);
  return sum % 5 == 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const char *rest = argc > 3 && strcmp(argv[1], "recover") == 0 ? call(argv[2], argv[3]) : NULL;
  pool_path = argv[2];
  pool = map_pool(pool_path, POOL_BYTES);
  snprintf(beside, sizeof beside, "%s.beside", argv[2]);
  if (argc < 4 || strcmp(argv[1], "setup") == 0) return 0;
  if (strcmp(argv[1], "recover") == 0) return recover(rest);
  char *second = strchr(argv[3], '|');
  pthread_t thread;
  if (second != NULL && pthread_create(&thread, NULL, execute, second + 1) != 0) return 2;
  execute(argv[3]);
  if (second != NULL) pthread_join(thread, NULL);
  return 0;
}
