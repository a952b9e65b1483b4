/*
 * A persistent queue: messages in a ring of slots, and two counters that only grow, of what was put in and what was taken
 * out. A message lies in its slot before the counter says so. BUG picks a seeded mistake.
 */
#include "structure.h"

struct Message {
  uint64_t number;
  char text[72];
  uint64_t inverse;

  static Message numbered(uint64_t number) {
    Message message{number, {}, ~number};
    for (size_t i = 0; i < sizeof message.text; i++) message.text[i] = static_cast<char>('a' + (number + i) % 26);
    return message;
  }
  bool operator==(const Message &other) const { return memcmp(this, &other, sizeof *this) == 0; }
};

template <typename Item, size_t Slots> class Queue {
  alignas(LINE) uint64_t taken;
  alignas(LINE) uint64_t put;
  struct Slot { alignas(LINE) Item item; } slots[Slots];

  template <typename Field> static void settle(const Field &field) { persist(&field, sizeof field); }

public:
  uint64_t first() const { return taken; }
#ifdef BUG_NON_ATOMIC
  /* The second counter says how many are there, and a take changes both. */
  uint64_t end() const { return taken + put; }
#else
  uint64_t end() const { return put; }
#endif
  const Item &operator[](uint64_t number) const { return slots[number % Slots].item; }

  void enqueue(const Item &item) {
    Slot &slot = slots[end() % Slots];
#ifdef BUG_WRONG_ORDER
    put++;
    settle(put);
#endif
    slot.item = item;
#ifdef BUG_MISSING_FLUSH
    flush(&slot, sizeof(void *));
#else
    flush(&slot, sizeof slot);
#endif
#ifndef BUG_MISSING_FENCE
    fence();
#endif
#ifndef BUG_WRONG_ORDER
    put++;
#endif
#if !defined BUG_LOST_ACK && !defined BUG_HANG
    settle(put);
#endif
  }

  void dequeue() {
    taken++;
    settle(taken);
#ifdef BUG_NON_ATOMIC
    put--;
    settle(put);
#endif
  }

  void recover() {
#ifdef BUG_RECOVERY
    /* Drops the newest message, as if its enqueue could not have ended. */
    if (put > taken) put--;
#endif
#ifndef BUG_HANG
    if (taken > end() || end() - taken > Slots) fail(BROKEN, "%d put, %d taken", (int)end(), (int)taken);
#endif
    for (uint64_t number = taken; number != end(); number++)
#ifdef BUG_HANG
      __asm__ volatile("" : : "m"((*this)[number]));
#else
      if (!((*this)[number] == Item::numbered(number))) fail(BROKEN, "message %d is damaged", (int)number);
#endif
  }
};

/* Goes once around the ring, and ends with an empty queue. */
static const char workload[] = "++-++-++----";
using Messages = Queue<Message, 4>;
static Messages *queue_in(void *pool) { return static_cast<Messages *>(pool); }

static void recover(void *pool) { queue_in(pool)->recover(); }

static void operate(void *pool, int operation) {
  if (workload[operation] == '+') queue_in(pool)->enqueue(Message::numbered(queue_in(pool)->end()));
  else queue_in(pool)->dequeue();
}

static bool holds(void *pool, int operations) {
  uint64_t put = 0, taken = 0;
  for (int i = 0; i < operations; i++) (workload[i] == '+' ? put : taken)++;
  return queue_in(pool)->end() == put && queue_in(pool)->first() == taken;
}

static void show(void *pool) {
  const Messages &queue = *queue_in(pool);
  for (uint64_t number = queue.first(); number < queue.end(); number++) printf("%.72s\n", queue[number].text);
}

int main(int argc, char **argv) {
  const struct guest guest = {sizeof workload - 1, recover, operate, holds, show};
  return drive(&guest, argc, argv);
}
