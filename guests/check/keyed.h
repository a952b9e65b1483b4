/* What the guests that keep values by key do, and what they should hold after each of the operations. */
#ifndef KEYED_H
#define KEYED_H
#include "structure.h"

enum kind { PUT, REMOVE };
struct operation { enum kind kind; uint64_t key, value; };

/* Grows past the first node or table, overwrites, removes, and takes up again what was removed. */
static const struct operation workload[] = {
  {PUT, 3, 30},   {PUT, 11, 110}, {PUT, 19, 190},  {PUT, 5, 50},   {PUT, 7, 70},   {PUT, 3, 31},   {REMOVE, 11, 0},
  {PUT, 27, 270}, {PUT, 2, 20},   {REMOVE, 19, 0}, {PUT, 11, 111}, {PUT, 13, 130}, {PUT, 29, 290}, {PUT, 5, 51},
};
#define OPERATIONS ((int)(sizeof workload / sizeof *workload))

/* The value of a key after so many operations; 0 for none. */
static inline uint64_t expected(int operations, uint64_t key) {
  uint64_t value = 0;
  for (int i = 0; i < operations; i++)
    if (workload[i].key == key) value = workload[i].kind == PUT ? workload[i].value : 0;
  return value;
}

enum { KEYS = 32 };
#endif
