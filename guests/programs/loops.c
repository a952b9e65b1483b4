/*
 * Loops, told by the first argument: `spin`, `yield` and `toggle` never end and never change; `count` and `clock` end after a
 * while; `grow` never ends and is never twice in one state.
 */
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <x86intrin.h>

static volatile uint64_t word;

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    if (!strcmp(kind, "spin")) while (word == 0) { }
    if (!strcmp(kind, "yield")) while (word == 0) sched_yield();
    if (!strcmp(kind, "toggle")) for (;;) word = !word;
    if (!strcmp(kind, "count")) while (word < 200000) word++;
    if (!strcmp(kind, "clock")) for (uint64_t end = __rdtsc() + 1500000; __rdtsc() < end;) { }
    if (!strcmp(kind, "grow")) for (;;) word++;
    return 7;
}
