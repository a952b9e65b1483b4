/**
 * Random recoveries with a loop over a record of three lines that may take a checksum, as one C file. Some use the record rightly,
 * others before the check, without it, or with words that the loop left out.
 */
import { below, type RandomState, seedRandom } from "../../src/base/index.ts";

/** What a pass of the loop does with a word. The first half tells contents apart; the other half does not by itself. */
const steps = [
  "acc = (acc ^ w) * 0x100000001b3ull;",
  "acc = rotated(acc + w * 0xc2b2ae3d27d4eb4full);",
  "acc += w; high = rotated(high) + acc;",
  "acc = crc(acc, w);",
  "acc += w * (2654435761u * (uint64_t)(i + 1));",
  "acc += w;",
  "acc ^= w;",
  "if (w > most) most = w;",
  "zeros += w == 0;",
  "last = w;",
];
const uses = ["right", "right", "early", "careless", "misses"] as const;

const pick = <Of>(random: RandomState, list: readonly Of[]): Of => list[below(random, list.length)]!;

function loopOf(random: RandomState): string {
  const body = Array.from({ length: 1 + below(random, 3) }, () => pick(random, steps)).join(" ");
  const around = pick(random, ["i++", "i++", "i += 2"]);
  const first = `uint64_t w = words[i]; ${body}`;
  return around === "i++" ? `{ ${first} }` : `{ { ${first} } { uint64_t w = words[i + 1]; ${body} } }`;
}

function programOf(seed: number): string {
  const random = seedRandom(seed);
  const body = loopOf(random);
  const increment = body.startsWith("{ {") ? "i += 2" : "i++";
  const use = pick(random, uses);
  const count = use === "misses" ? "WORDS - 4" : "WORDS";
  const loop = `for (int i = 0; i < ${count}; ${increment}) ${body}`;
  const early = use === "early" ? "if (words[9] != 0 && words[1] == 0) return 1;" : "";
  const check = use === "careless" ? "" : "if (acc != stored) return 0;";
  return `static int program${seed}(volatile uint64_t *words, int writes) {
  uint64_t acc = 7, high = 0, most = 0, zeros = 0, last = 0, stored = words[WORDS];
  if (!writes) { ${early} }
  ${loop}
  acc ^= rotated(high) ^ rotated(rotated(most)) ^ zeros << 50 ^ (last == 3);
  if (writes) { words[WORDS] = acc | 1; return 0; }
  acc |= 1;
  if (stored == 0) return 0;
  ${check}
  for (int i = 0; i < WORDS; i++) if (words[i] != VALUE(i)) return 2;
  return 0;
}`;
}

export const sourceOf = (seeds: readonly number[]): string => `#include <string.h>
#include "flush.h"
#define LINES 3
#define WORDS (LINES * 8)
#define VALUE(i) ((uint64_t)((i) + 1) * 0x9e3779b97f4a7c15ull)
static inline uint64_t rotated(uint64_t v) { return v << 31 | v >> 33; }
static inline uint64_t crc(uint64_t sum, uint64_t w) { __asm__("crc32q %1, %0" : "+r"(sum) : "r"(w)); return sum; }
${seeds.map(programOf).join("\n")}
static int (*const programs[])(volatile uint64_t *, int) = { ${seeds.map((seed) => `program${seed}`).join(", ")} };
int main(int argc, char **argv) {
  if (argc < 4) return 2;
  volatile uint64_t *words = map_pool(argv[3], (LINES + 1) * 64);
  int number = atoi(argv[2]);
  if (strcmp(argv[1], "setup") == 0) return 0;
  if (strcmp(argv[1], "recover") == 0) return programs[number](words, 0);
  for (int i = 0; i < WORDS; i++) words[i] = VALUE(i);
  programs[number](words, 1);
  for (int line = 0; line <= LINES; line++) clwb(&words[8 * line]);
  sfence();
  return 0;
}
`;
