/**
 * Checksums that the compiler has put into their callers are found as loops: a record of 32 lines ends in proportion to its lines, right or
 * wrong. Random loops over small records are held against all crash states, one by one (FOLDS_SEED, FOLDS_PROGRAMS).
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { afterAll, describe, expect, it } from "vitest";
import type { ExploreOptions } from "../../src/engines/index.ts";
import { compileGuest } from "../support/programs.ts";
import { sourceOf } from "./inlined-programs.ts";
import { enumerated, explored, isWhole, pool } from "./support.ts";

const checksums = ["fnv", "fletcher", "weighted", "lanes", "crc_table", "crc_instruction"];
const levels = ["-O1", "-O2", "-O3"];
const all = checksums.flatMap((sum) => levels.map((level) => [sum, level] as const));
const some = [["fnv", "-O1"], ["weighted", "-O3"], ["crc_table", "-O2"]] as const; // biome-ignore format: a row each

function look(flags: readonly string[], maxExecutions = 5000) {
  const guest = compileGuest("explore/inlined.c", ["-g", "-static", ...flags]);
  const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool] };
  return explored([guest, "run", pool], commands, { maxExecutions, findsChecksums: true });
}

describe.each(isWhole ? all : some)("%s at %s", (sum, level) => {
  it("is found in main, and clean", () => {
    const { plan, statistics, checksums } = look([level, `-DSUM=${sum}`]);
    expect(checksums).toEqual([
      expect.stringMatching(/^explore-inlined-\w+\+0x[\da-fx,]+\.\.0x[\da-fx,]+ \(the loop around inlined\.c:\d+\)$/),
    ]);
    expect([plan.findings(), statistics.openStates]).toEqual([[], 0]);
    // In proportion to the stores, 32 lines of eight each.
    expect(statistics.executions).toBeLessThan(3 * 32 * 8);
  });

  it.each(isWhole ? ["EARLY", "MISSES", "CARELESS"] : ["MISSES"])("%s is found", (mistake) => {
    const { plan, statistics } = look([level, `-DSUM=${sum}`, `-D${mistake}`]);
    expect([plan.findings().length, statistics.openStates]).toEqual([1, 0]);
  });
});

it.each(isWhole ? ["total", "most", "copied"] : ["total"])("%s is no checksum", (sum) => {
  for (const level of isWhole ? levels : ["-O2"]) expect(look([level, `-DSUM=${sum}`], 20).checksums).toEqual([]);
});

it("a program without symbols is known by what unwinds it", () => {
  const { statistics, checksums } = look(["-O2", "-DSUM=fnv", "-g0", "-s"]);
  expect(checksums).toEqual([expect.stringMatching(/^explore-inlined-\w+\+0x[\da-fx,]+\.\.0x[\da-fx,]+$/)]);
  expect(statistics.openStates).toBe(0);
});

const first = Number(env["FOLDS_SEED"] ?? 1);
const seeds = Array.from({ length: Number(env["FOLDS_PROGRAMS"] ?? 3) }, (_, at) => first + at);
const folder = mkdtempSync(join(tmpdir(), "blackout-folds-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe(`${seeds.length} random loops from seed ${first} on, and every crash state`, () => {
  const built = levels.map((level) => join(folder, `folds${level}`));
  writeFileSync(join(folder, "folds.c"), sourceOf(seeds));
  for (const [at, level] of levels.entries())
    execFileSync("gcc", [
      level,
      "-g",
      "-static",
      "-msse4.2",
      "-mclwb",
      "-Iguests",
      "-o",
      built[at]!,
      join(folder, "folds.c"),
    ]);

  it.each(seeds)("FOLDS_SEED=%i", { timeout: 600_000 }, (seed) => {
    const program = built[seed % levels.length]!;
    const words = (what: string) => [program, what, `${seed - first}`, pool];
    const commands = { setup: words("setup"), recover: words("recover") };
    const look = (options: ExploreOptions) => explored(words("run"), commands, options);
    const { plan, statistics, checksums } = look({ maxExecutions: 20_000, findsChecksums: true });
    const told = `checksums ${checksums.join()}`;
    expect(statistics.openStates, told).toBe(0);
    // On a machine of its own, which stops nowhere.
    const { scene } = look({ maxExecutions: 1, findsChecksums: false });
    expect(plan.found > 0, told).toBe(enumerated(scene).failing.length > 0);
  });
});
