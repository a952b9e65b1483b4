/*
 * Tickets with numbers from a counter. BUG persists the counter after the ticket counts: recovery shows every ticket, and
 * the next to draw one shares its number. `PROGRAM POOL show` shows, `PROGRAM POOL draw N` draws one more.
 */
#include "hidden.h"

#define TICKETS 10

struct ticket { alignas(LINE) volatile uint64_t number; volatile uint64_t holder; };
struct desk { alignas(LINE) volatile uint64_t next; struct ticket tickets[TICKETS]; };

static void draw(struct desk *desk, uint64_t holder) {
  uint64_t number = desk->next;
#ifndef BUG
  desk->next = number + 1;
  persist((void *)&desk->next, sizeof number);
#endif
  struct ticket *ticket = desk->tickets;
  while (ticket->holder != 0) ticket++;
  ticket->number = number;
  ticket->holder = holder;
  persist((void *)ticket, sizeof *ticket);
#ifdef BUG
  desk->next = number + 1; /* blamed */
  persist((void *)&desk->next, sizeof number);
#endif
}

static void show(const struct desk *desk) {
  for (const struct ticket *ticket = desk->tickets; ticket->holder != 0; ticket++) {
    int shared = ticket > desk->tickets && ticket[-1].number == ticket->number;
    printf("%lu%s\n", ticket->holder, shared ? " shares its number" : "");
  }
}

int main(int argc, char **argv) {
  struct desk *desk = pm_map(argv[1]);
  if (argc > 3) draw(desk, strtoul(argv[3], NULL, 10));
  if (argc > 2) {
    show(desk);
    return 0;
  }
  for (int i = 0; i < 4; i++) {
    draw(desk, i + 1);
    done(i);
  }
  return 0;
}
