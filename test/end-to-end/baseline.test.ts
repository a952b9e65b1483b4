/** What is known and accepted stays quiet while lines move; what is new does not, in the same function either. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inTemporaryDirectory, runBlackout } from "./command.ts";

/** Stores to `a` and `b` are forgotten where `second` says so; `above` lies before everything. */
const program = (above: string, second: string) => `${above}#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
struct pool { _Alignas(64) uint64_t a; _Alignas(64) uint64_t b; };
static void persist(void *at) { _mm_clflush(at); _mm_sfence(); }
static void update(struct pool *pool) {
  pool->a = 7;
  pool->b = 8;
  ${second}
}
int main(void) {
  int file = open("pool", O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, 4096)) return 1;
  struct pool *pool = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  pool->a = pool->b = 1;
  persist(&pool->a);
  persist(&pool->b);
  update(pool);
  return 0;
}
`;

const good = "persist(&pool->b);";
const bad = "/* not yet */;";

function inProject(
  work: (tools: {
    build(above: string, second: string): void;
    trace(...words: string[]): { code: number | null; stderr: string };
  }) => void,
) {
  inTemporaryDirectory((cwd) => {
    const build = (above: string, second: string) => {
      writeFileSync(join(cwd, "pool.c"), program(above, second));
      execFileSync("gcc", ["-g", "-O1", "-o", "app", "pool.c"], { cwd });
    };
    const trace = (...words: string[]) => runBlackout(["trace", ...words, "--", "./app"], { cwd });
    work({ build, trace });
  });
}

it("a baseline lets pass what it knows, and no more", () => {
  inProject(({ build, trace }) => {
    build("", good);
    expect(trace("--save-baseline", "base.json").code).toBe(1);
    build("// Moved.\n\n", good);
    const same = trace("--baseline", "base.json");
    expect(same.code).toBe(0);
    expect(same.stderr).toMatch(/^SUMMARY: blackout: 0 errors, .* \(1 known\)\n$/m);
    expect(same.stderr).not.toContain("missing-flush");
    const intoFile = trace("--baseline", "base.json", "--report", "report.txt");
    expect(intoFile.stderr).toMatch(/^SUMMARY: blackout: 0 errors, .* \(1 known\)\n$/);
    build("\n", bad);
    const worse = trace("--baseline", "base.json");
    expect(worse.code).toBe(1);
    expect(worse.stderr).toMatch(
      /error\[missing-flush\]: pool.c:11: store never flushed in update[\s\S]*1 error, .* \(1 known\)/,
    );
    build("", `persist(&pool->a); ${good}`);
    const better = trace("--baseline", "base.json");
    expect(better.code).toBe(0);
    expect(better.stderr).toMatch(
      /\(0 known\)\nblackout: gone: pool.c:9: store never flushed in update \[missing-flush\]\n/,
    );
  });
});

it("a suppression is for one finding, and says when there is none", () => {
  inProject(({ build, trace }) => {
    build("", good);
    const made = trace("--gen-suppressions", "known.supp");
    expect([made.code, made.stderr]).toEqual([1, expect.stringContaining("1 suppression added to known.supp\n")]);
    build("\n\n", bad);
    const second = trace("--suppressions", "known.supp", "--gen-suppressions", "known.supp");
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/pool.c:12: store never flushed[\s\S]*1 error, .* \(1 suppressed\)/);
    expect(trace("--suppressions", "known.supp").code).toBe(0);
    build("", good);
    expect(trace("--suppressions", "known.supp").stderr).toMatch(
      /^blackout: known.supp:7 suppresses nothing any more: missing-flush \w+$/m,
    );
  });
});
