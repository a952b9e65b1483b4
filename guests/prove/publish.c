/* Small protocols on persistent memory, each right and with a mistake, as functions for blackout prove. */
#include <assert.h>
#include <emmintrin.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LINE _Alignas(64)
#define FLUSH(x) _mm_clflush((const void *)&(x))

LINE volatile uint64_t data;
LINE _Atomic uint64_t flag;
LINE volatile uint64_t seen;

/* A flag that stands for data. */
void write_data(void) { data = 42; FLUSH(data); flag = 1; }
void write_data_unflushed(void) { data = 42; flag = 1; }
void write_flushes_late(void) { data = 42; flag = 1; FLUSH(data); }
/* The flush is on a branch that is taken once the flag is set by somebody else: not always. */
void write_flushes_perhaps(void) { data = 42; if (seen) FLUSH(data); flag = 1; }
void read_flag(void) { if (flag) seen = 1; }
void wait_for_flag(void) { while (!flag) {} seen = 1; }
int flag_has_data(void) { return flag && data != 42; }
int seen_has_data(void) { return seen && data != 42; }
int flag_asserts_data(void) { if (flag) assert(data == 42); return 0; }
int nothing_to_check(void) { return 0; }

/* A counter that two threads add to. */
LINE _Atomic uint64_t count;
LINE volatile uint64_t added[16];

void add_one(uint64_t slot) {
  uint64_t old = atomic_load(&count);
  while (!atomic_compare_exchange_strong(&count, &old, old + 1)) {}
  FLUSH(count);
  added[8 * slot] = 1;
}
void add_one_carelessly(uint64_t slot) {
  uint64_t old = atomic_load(&count);
  atomic_store(&count, old + 1);
  FLUSH(count);
  added[8 * slot] = 1;
}
int count_has_all(void) { return count < added[0] + added[8]; }

/* A record that is published by its address, and a second one. */
struct record { volatile uint64_t value; volatile uint64_t check; };
LINE struct record records[8];
LINE struct record *_Atomic head;

void publish(uint64_t index) {
  struct record *fresh = &records[4 * index];
  fresh->value = index + 7;
  fresh->check = ~(index + 7);
  FLUSH(*fresh);
  head = fresh;
  FLUSH(head);
}
void publish_unflushed(uint64_t index) {
  struct record *fresh = &records[4 * index];
  fresh->value = index + 7;
  fresh->check = ~(index + 7);
  head = fresh;
}
/* One line holds a prefix of its stores: the check comes after the value. */
void publish_by_check(uint64_t index) {
  struct record *fresh = &records[4 * index];
  fresh->value = index + 7;
  fresh->check = ~(index + 7);
}
int head_is_whole(void) {
  struct record *found = head;
  return found != NULL && found->check != ~found->value;
}
int checks_have_values(void) {
  for (int index = 0; index < 8; index += 4)
    if (records[index].check != 0 && records[index].check != ~records[index].value) return 1;
  return 0;
}

/* What cannot be encoded. */
void calls_the_system(void) { long result; __asm__ volatile("syscall" : "=a"(result) : "a"(39) : "rcx", "r11", "memory"); flag = 1; }
void stores_anywhere(void) { volatile uint64_t *where = (volatile uint64_t *)(data * data * 8); *where = data; flag = where == NULL; data += 3; }

void start_with_seen(void) { seen = 1; }

int main(void) { return 0; }
