/**
 * What crashes may leave, decided three times: by the operational model, by the tracker that engines use, and by the rules'
 * compiled pass, on traces of every litmus test and of random programs. TRACED_SEED and TRACED_PROGRAMS go on (`make fuzz`).
 */
import { env } from "node:process";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type RandomState, seedRandom } from "../../src/base/index.ts";
import {
  defaultLimits,
  LimitReached,
  type LitmusTest,
  machineFor,
  parseTests,
  randomTestText,
  runPhases,
} from "../../src/model/litmus/index.ts";
import type { Machine } from "../../src/model/litmus/machine.ts";
import { operationalOutcomes } from "../../src/model/litmus/operational.ts";
import { type Platform, PmLines, px86, withPlatform } from "../../src/model/pmem/index.ts";
import { ownTests, referenceTests } from "./own-tests.ts";
import { hasNonTemporal, isThreaded, type Noting, tracedStates, windowMismatch } from "./traced.ts";

const firstSeed = Number(env.TRACED_SEED ?? 20_261_117);
const programs = Number(env.TRACED_PROGRAMS ?? 3000);
const schedules = 3;
const limits = { ...defaultLimits, states: 100_000 };
const platforms: readonly Platform[] = ["px86", "eadr", "strict"];

/** Everything that is not as the model has it. */
function mismatches(litmus: LitmusTest, random: RandomState, noting: Noting = "right"): string[] {
  const found: string[] = [];
  const started = runPhases(litmus, "operational", { model: px86, limits });
  for (const [index, phase] of litmus.phases.entries())
    for (const { start } of started[index]!.slice(0, 3)) {
      const machine = machineFor(litmus, phase, start, px86);
      const runs = isThreaded(machine) ? schedules : 1;
      for (let i = 0; i < runs; i++) {
        const wrong = windowMismatch(machine, random, noting);
        if (wrong !== undefined) found.push(wrong);
      }
      for (const platform of platforms)
        found.push(...strayStates({ ...machine, model: withPlatform(px86, platform) }, platform, runs, random, noting));
    }
  return found;
}

/** Crash states that the model forbids; and of one thread, those that it allows and the trace never shows. */
function strayStates(
  machine: Machine,
  platform: Platform,
  runs: number,
  random: RandomState,
  noting: Noting,
): string[] {
  const keyed = (memories: Iterable<readonly number[]>) => new Map([...memories].map((each) => [each.join(), each]));
  const allowed = keyed(operationalOutcomes(machine, limits).any.values());
  const traced = new Map(
    Array.from({ length: runs }, () => [...tracedStates(machine, platform, random, noting)]).flat(),
  );
  const told = (memory: readonly number[]) =>
    `${platform}: ${machine.locations.map(({ name }, i) => `${name}=${memory[i]}`).join(" ")}`;
  const outside = [...traced].filter(([key]) => !allowed.has(key));
  // Where lines are not independent, a trace does not tell how late a non-temporal store may be seen.
  const complete = !isThreaded(machine) && (platform === "px86" || !hasNonTemporal(machine));
  const missed = complete ? [...allowed].filter(([key]) => !traced.has(key)) : [];
  return [
    ...outside.map(([, memory]) => `${told(memory)} is illegal`),
    ...missed.map(([, memory]) => `${told(memory)} is missing`),
  ];
}

describe.each([
  ["ours", ownTests],
  ["the reference set", referenceTests],
] as const)("every litmus test of %s", (_, tests) => {
  test.each(tests.map((each) => [each.name, each] as const))("%s", (_name, litmus) => {
    expect(mismatches(litmus, seedRandom(firstSeed))).toEqual([]);
  });
});

/** The tests of random programs that are not too large. */
function* randomMismatches(seed: number, count: number) {
  const random = seedRandom(seed);
  for (let compared = 0; compared < count; ) {
    const text = randomTestText(random, `random-${seed}-${compared}`);
    const [litmus] = parseTests({ file: "random program", text });
    try {
      yield { text, wrong: mismatches(litmus!, random) };
      compared++;
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
    }
  }
}

test(`${programs} random programs (seed ${firstSeed})`, { timeout: 2 ** 31 - 1 }, () => {
  for (const { text, wrong } of randomMismatches(firstSeed, programs)) expect(wrong, text).toEqual([]);
});

describe("a mutant is caught", () => {
  afterEach(() => void vi.restoreAllMocks());
  const caught = (noting: Noting = "right") =>
    ownTests.filter((litmus) => mismatches(litmus, seedRandom(firstSeed), noting).length > 0).length;

  test("that drains late", () => expect(caught("drains late")).toBeGreaterThan(0));
  test("that keeps a failed compare-and-swap as a store", () => expect(caught("failed CAS stores")).toBeGreaterThan(0));
  test("that applies a fence to another thread's flush", () => {
    const { fence } = PmLines.prototype;
    vi.spyOn(PmLines.prototype, "fence").mockImplementation(function (this: PmLines) {
      for (let thread = 0; thread < 8; thread++) fence.call(this, thread);
    });
    expect(caught()).toBeGreaterThan(0);
  });
});
