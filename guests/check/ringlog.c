/*
 * A persistent log in a ring of lines. A record has a sequence number and a checksum over all its lines, so that recovery
 * knows a whole record from a torn or an old one, in whatever order its lines persisted; where the oldest record lies is
 * one word. BUG picks a seeded mistake.
 */
#include "structure.h"

#define LINES 8
#define WORDS (LINE / 8)

/* The payload is fields, each a length in words and as many words less one. */
struct record { uint64_t sequence, words, checksum, payload[3 * WORDS - 3]; };
struct log {
  /* The oldest record's line, counted on and on, and its sequence number in the upper half. */
  alignas(LINE) uint64_t oldest;
#ifdef BUG_NON_ATOMIC
  alignas(LINE) uint64_t oldest_sequence;
#endif
  alignas(LINE) uint64_t ring[LINES][WORDS];
};

/* Found by recovery: behind the newest record. */
static uint64_t end_line, end_sequence;

static uint64_t first_line(const struct log *log) { return log->oldest & 0xffffffff; }
static uint64_t first_sequence(const struct log *log) {
#ifdef BUG_NON_ATOMIC
  return log->oldest_sequence;
#else
  return log->oldest >> 32;
#endif
}

static uint64_t lines_of(uint64_t words) { return (words + 3 + WORDS - 1) / WORDS; }

static uint64_t checksum_of(const struct record *record) {
  uint64_t sum = record->sequence * 31 + record->words;
  for (uint64_t i = 0; i < record->words; i++) sum = sum * 0x9e3779b97f4a7c15ull + record->payload[i] + 1;
  return sum;
}

/* The record that ought to be at a line: false when there is none. */
static bool read_record(const struct log *log, uint64_t line, uint64_t sequence, struct record *record) {
  for (uint64_t i = 0; i < 3; i++) memcpy((uint64_t *)record + i * WORDS, log->ring[(line + i) % LINES], LINE);
#ifdef BUG_RECOVERY_SEQUENCE
  sequence = record->sequence;
#endif
  if (record->sequence != sequence) return false;
  if (record->words == 0 || record->words > 3 * WORDS - 3) return false;
#ifdef BUG_HANG
  /* Counts the fields before it knows that they are all there. */
  uint64_t fields = 0;
  for (uint64_t at = 0; at < record->words; at += record->payload[at]) fields++;
  if (fields == 0) return false;
#endif
#ifndef BUG_RECOVERY
  if (record->checksum != checksum_of(record)) return false;
#endif
  return true;
}

/* The record of a sequence number holds 2 to 6 fields of 3 words. */
static struct record compose(uint64_t sequence) {
  struct record record = {.sequence = sequence, .words = 3 * (2 + (sequence + 1) * 2 % 5)};
  for (uint64_t i = 0; i < record.words; i++) record.payload[i] = i % 3 == 0 ? 3 : sequence * 1000 + i;
  record.checksum = checksum_of(&record);
  return record;
}

static void recover(void *pool) {
  struct log *log = pool;
  struct record record;
  end_line = first_line(log);
  for (end_sequence = first_sequence(log); read_record(log, end_line, end_sequence, &record); end_sequence++) {
    struct record whole = compose(end_sequence);
    if (memcmp(record.payload, whole.payload, whole.words * 8) != 0) fail(BROKEN, "record %d is torn", (int)end_sequence);
    end_line += lines_of(record.words);
    if (end_line - first_line(log) > LINES) fail(BROKEN, "the log is longer than its ring");
  }
}

static void append(struct log *log) {
  struct record record = compose(end_sequence);
  uint64_t lines = lines_of(record.words);
  if (end_line + lines - first_line(log) > LINES) fail(BROKEN, "the log is full");
  for (uint64_t i = 0; i < lines; i++) {
    uint64_t *line = log->ring[(end_line + i) % LINES];
    memcpy(line, (uint64_t *)&record + i * WORDS, LINE);
#ifdef BUG_MISSING_FLUSH
    if (i > 0) continue;
#endif
    flush(line, LINE);
  }
#ifndef BUG_MISSING_FENCE
  fence();
#endif
  end_line += lines;
  end_sequence++;
}

static void drop_oldest(struct log *log) {
  uint64_t sequence = first_sequence(log);
  uint64_t line = first_line(log) + lines_of(compose(sequence).words);
#ifdef BUG_NON_ATOMIC
  log->oldest_sequence = sequence + 1;
  persist(&log->oldest_sequence, sizeof log->oldest_sequence);
#endif
  log->oldest = (sequence + 1) << 32 | line;
#ifndef BUG_LOST_ACK
  persist(&log->oldest, sizeof log->oldest);
#endif
}

/* Goes more than once around the ring. */
static const char workload[] = "++-+-++--+--";

static void operate(void *pool, int operation) {
  if (workload[operation] == '+') append(pool);
  else drop_oldest(pool);
}

static bool holds(void *pool, int operations) {
  uint64_t appended = 0, dropped = 0;
  for (int i = 0; i < operations; i++) {
    if (workload[i] == '+') appended++;
    else dropped++;
  }
  return first_sequence(pool) == dropped && end_sequence == appended;
}

static void show(void *pool) {
  for (uint64_t sequence = first_sequence(pool); sequence < end_sequence; sequence++) printf("%d\n", (int)sequence);
}

int main(int argc, char **argv) {
  const struct guest guest = {sizeof workload - 1, recover, operate, holds, show};
  return drive(&guest, argc, argv);
}
