/*
 * An array in persistent memory changes its size in place; what is new in it is zeroed and flushed (Listing 2.3). When it
 * shrinks, the number of elements to flush underflows, and lines that nobody has stored to are flushed. Sizes have eight
 * bits here, so that the underflow stays within the pool. The mended twin counts as the loop before it does.
 */
#include "../rules/pm.h"

struct element { _Alignas(64) volatile uint64_t value; };
struct array { struct element *elements; uint8_t size; };

static void zero_new(struct array *array, uint8_t size) {
  for (int i = array->size; i < size; i++) array->elements[i].value = 0;
}

static void resize(struct array *array, uint8_t size) {
  zero_new(array, size);
  for (uint8_t i = 0; i < (uint8_t)(size - array->size); i++)
    clwb(&array->elements[i + array->size].value); // expect: flush-clean (performance) in resize
  sfence();
  array->size = size;
}

static void resize_mended(struct array *array, uint8_t size) {
  zero_new(array, size);
  for (int i = array->size; i < size; i++) clwb(&array->elements[i].value);
  if (size > array->size) sfence();
  array->size = size;
}

int main(void) {
  struct array array = {pm_map("/tmp/pool"), 0};
  resize(&array, 8);
  resize(&array, 3);
  resize_mended(&array, 12);
  resize_mended(&array, 2);
  return 0;
}
