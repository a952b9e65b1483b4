/**
 * What helpers flush when their bodies are run on numbers, beside the twin: the same helpers compiled with an instruction that notes
 * its line, called for the same ranges.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { linesFlushed } from "../../src/program/source/helper-runs.ts";
import { HelperBodies, helpersIn, trusted } from "../../src/program/source/index.ts";
import { openTestSyntax } from "./syntax.ts";

/** Helpers as people write them, right and wrong; each takes an address and a size. */
const source = `
#define LINE 64
#define ALIGNED(p) ((uintptr_t)(p) & ~((uintptr_t)LINE - 1))
enum { STEP = 64 };
static const size_t mask = LINE - 1;
static void aligned(const void *p, size_t n) {
  for (uintptr_t a = (uintptr_t)p & ~63ul; a < (uintptr_t)p + n; a += 64) _mm_clwb((void *)a);
}
static void unaligned(const void *p, size_t n) {
  for (size_t i = 0; i < n; i += 64) _mm_clwb((char *)p + i);
}
static void first(const void *p, size_t n) { (void)n; _mm_clwb((void *)p); }
static void byEnd(char *p, int n) {
  char *end = p + n;
  p = (char *)ALIGNED(p);
  while (p < end) { _mm_clwb(p); p += STEP; }
}
static void atLeastOnce(void *p, unsigned long n) {
  uint8_t *at = (uint8_t *)((uintptr_t)p - ((uintptr_t)p & mask)), *last = (uint8_t *)p + n - 1;
  do _mm_clwb(at); while ((at += LINE) <= last);
}
static void words(void *p, size_t n) {
  uint64_t *w = (uint64_t *)p;
  for (int i = 0; i < (int)(n / sizeof(uint64_t)); i += 8) _mm_clwb(w + i);
}
static void counted(const void *p, size_t n) {
  uintptr_t from = (uintptr_t)p >> 6, to = ((uintptr_t)p + n - 1) >> 6;
  size_t count = n == 0 ? 0 : to - from + 1;
  for (; count; --count, ++from) _mm_clwb((void *)(from << 6));
}
static void through(const void *p, size_t n) { if (n) aligned(p, n); }
#define MACRO(p, n) do { for (uintptr_t a_ = ALIGNED(p); a_ < (uintptr_t)(p) + (n); a_ += LINE) _mm_clwb((void *)a_); } while (0)
`;
const names = ["aligned", "unaligned", "first", "byEnd", "atLeastOnce", "words", "counted", "through", "MACRO"];
const ranges = [0, 1, 8, 56, 60, 63].flatMap((from) => [1, 8, 64, 65, 130, 192].map((size) => [from, size] as const));
const base = 0x10000;

function compiled(): string {
  const folder = mkdtempSync(join(tmpdir(), "blackout-helpers-"));
  const calls = names.flatMap((name) =>
    ranges.map(
      ([from, size]) => `printf("${name} ${from} ${size}:"); ${name}((void *)${base + from}ul, ${size}); puts("");`,
    ),
  );
  const head = '#include <stdint.h>\n#include <stdio.h>\n#define _mm_clwb(p) printf(" %lu", (unsigned long)(p) / 64)\n';
  writeFileSync(join(folder, "a.c"), `${head}${source}int main(void) {\n${calls.join("\n")}\n}\n`);
  execFileSync("gcc", ["-w", "-o", join(folder, "a"), join(folder, "a.c")]);
  const said = execFileSync(join(folder, "a"), { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  return said;
}

it("is what the compiled helpers flush", async () => {
  const syntax = await openTestSyntax();
  const bodies = new HelperBodies([syntax.parse(source, "c").rootNode], (text) => syntax.parse(text, "c").rootNode);
  const said = names.flatMap((name) =>
    ranges.map(([from, size]) => {
      const lines = linesFlushed(bodies, { name, address: base + from, size });
      return `${name} ${from} ${size}:${[...(lines ?? ["nobody knows"])].map((line) => ` ${line}`).join("")}`;
    }),
  );
  expect(`${said.join("\n")}\n`).toBe(compiled());
});

it("tells helpers of ranges from those of one line, and leaves out those that flush less", async () => {
  const syntax = await openTestSyntax();
  const parse = (text: string) => syntax.parse(text, "c").rootNode;
  const more = `${source}
static void beside(const void *p) { _mm_clwb((char *)p + 64); }
static void whole(const void *p) { __asm__ volatile("clwb %0" : "+m"(*(volatile char *)p)); }
#define P(x) (_mm_clwb((void *)&(x)), _mm_sfence())
#define ALL(x) aligned(&(x), sizeof(x))
static void unknown(const void *p, size_t n) { if (has_clwb) aligned(p, n); else first(p, n); }
static void either(const void *p, size_t n) {
#ifdef FIRST
  first(p, n);
#else
  aligned(p, n);
#endif
}
#ifdef CLWB
static void same(const void *p, size_t n) { aligned(p, n); }
#else
static void same(const void *p, size_t n) { through(p, n); }
#endif
`;
  const roots = [parse(more)];
  const kept = trusted(helpersIn(roots), new HelperBodies(roots, parse));
  const said = Object.fromEntries(kept.map(({ name, isOfLine = false }) => [name, isOfLine ? "line" : "trusted"]));
  expect(said).toEqual({
    ...Object.fromEntries(names.map((name) => [name, "trusted"])),
    ...{ unaligned: "line", first: "line", words: "line" },
    ...{ whole: "trusted", P: "trusted", ALL: "trusted", unknown: "trusted", either: "line", same: "trusted" },
  });
});
