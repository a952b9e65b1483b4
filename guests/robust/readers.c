/*
 * Runs threads that are given as data, and tells what each of their loads read. argv: "setup", or "run" and "recover", the pool, the
 * operations. "BEFORE/FIRST|SECOND|THIRD/AFTER": the first thread does BEFORE, starts the others, does FIRST, joins them, does AFTER.
 *
 * An operation is a letter, an offset in hexadecimal, and for stores "=" and a number, whose byte fills what is stored, so that every byte
 * says which store it is from: b h w q x store 1, 2, 4, 8 and 16 bytes, n eight non-temporal ones; e exchanges eight, locked;
 * C stores eight if they are what its thread read last. v stores eight bytes of ordinary memory, E exchanges them. r and u load eight bytes of
 * the pool and of ordinary memory. f o k are clflush, clflushopt and clwb; s m sfence and mfence; y yields.
 * Recovery loads eight bytes at each offset.
 */
#include <emmintrin.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include "../flush.h"

#define POOL_BYTES 4096
#define MOST_THREADS 3
#define MOST_READS 64
static char *pool;
static char ordinary[256] __attribute__((aligned(64)));

struct thread { pthread_t handle; const char *text; unsigned reads; uint64_t read[MOST_READS]; } __attribute__((aligned(64)));
static struct thread threads[MOST_THREADS];

static uint64_t hex(const char **at) {
  uint64_t number = 0;
  for (; *at[0] != 0; (*at)++) {
    char c = **at;
    if (c >= '0' && c <= '9') number = 16 * number + (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f') number = 16 * number + (uint64_t)(c - 'a' + 10);
    else break;
  }
  return number;
}

/* Up to the end of a part; where that is. */
static const char *execute(struct thread *own, const char *at) {
  uint64_t last = 0;
  while (*at != 0 && *at != '|' && *at != '/') {
    char what = *at++;
    if (what == ' ') continue;
    if (what == 's') { sfence(); continue; }
    if (what == 'm') { __asm__ volatile("mfence" ::: "memory"); continue; }
    if (what == 'y') { sched_yield(); continue; }
    uint64_t offset = hex(&at);
    char *place = pool + offset;
    uint64_t *common = (uint64_t *)(ordinary + offset);
    uint64_t value = 0;
    if (*at == '=') { at++; value = hex(&at) * 0x0101010101010101u; }
    int reads = 0;
    switch (what) {
    case 'b': *(volatile uint8_t *)place = (uint8_t)value; break;
    case 'h': *(volatile uint16_t *)place = (uint16_t)value; break;
    case 'w': *(volatile uint32_t *)place = (uint32_t)value; break;
    case 'q': *(volatile uint64_t *)place = value; break;
    case 'x': _mm_storeu_si128((__m128i *)place, _mm_set1_epi8((char)value)); __asm__ volatile("" ::: "memory"); break;
    case 'n': _mm_stream_si64((long long *)place, (long long)value); __asm__ volatile("" ::: "memory"); break;
    case 'f': clflush(place); break;
    case 'o': clflushopt(place); break;
    case 'k': clwb(place); break;
    case 'v': *(volatile uint64_t *)common = value; break;
    case 'r': last = *(volatile uint64_t *)place; reads = 1; break;
    case 'u': last = *(volatile uint64_t *)common; reads = 1; break;
    case 'e': last = __atomic_exchange_n((uint64_t *)place, value, __ATOMIC_SEQ_CST); reads = 1; break;
    case 'E': last = __atomic_exchange_n(common, value, __ATOMIC_SEQ_CST); reads = 1; break;
    case 'C': __atomic_compare_exchange_n((uint64_t *)place, &last, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); reads = 1; break;
    default: exit(2);
    }
    if (reads) own->read[own->reads++] = last;
  }
  return at;
}

/* All have started before any of them does anything: what the library does to start a thread may order it after another one's end. */
static unsigned arrived;
static volatile int go;
static void *run(void *own) {
  __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
  while (!go) sched_yield();
  execute(own, ((struct thread *)own)->text);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  pool = map_pool(argv[2], POOL_BYTES);
  if (argc < 4 || strcmp(argv[1], "setup") == 0) return 0;
  const char *at = argv[3];
  if (strcmp(argv[1], "recover") == 0) {
    uint64_t sum = 0;
    while (*at != 0) { if (*at == ' ') at++; else sum = sum * 7 + *(volatile uint64_t *)(pool + hex(&at)); }
    printf("%llx\n", (unsigned long long)sum);
    return 0;
  }
  at = execute(&threads[0], at) + 1;
  const char *first = at;
  unsigned count = 1;
  for (; *at != '/'; at++) if (*at == '|') threads[count++].text = at + 1;
  for (unsigned i = 1; i < count; i++) if (pthread_create(&threads[i].handle, NULL, run, &threads[i]) != 0) return 2;
  while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < count - 1) sched_yield();
  go = 1;
  execute(&threads[0], first);
  for (unsigned i = 1; i < count; i++) pthread_join(threads[i].handle, NULL);
  execute(&threads[0], at + 1);
  for (unsigned i = 0; i < count; i++) {
    for (unsigned j = 0; j < threads[i].reads; j++) printf("%016llx ", (unsigned long long)threads[i].read[j]);
    printf("\n");
  }
  return 0;
}
