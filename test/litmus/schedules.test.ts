/**
 * Litmus tests with threads as real binaries under schedules: no crash state is outside the model's, and with enough schedules every
 * one of the model's comes about. SCHEDULES and SCHEDULES_SEED go on (`make fuzz`), and hold the tests below to complete sets.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../src/base/index.ts";
import {
  defaultLimits,
  LimitReached,
  type LitmusTest,
  machineFor,
  randomTest,
  runPhases,
} from "../../src/model/litmus/index.ts";
import { operationalOutcomes } from "../../src/model/litmus/operational.ts";
import { px86 } from "../../src/model/pmem/index.ts";
import { Recorder } from "../../src/trace/events/index.ts";
import { codeIn, codeOf, inRecord, recordWords } from "../../src/trace/record/index.ts";
import { compileText, loadGuest } from "../support/programs.ts";
import { type Job, pagesOf } from "./binaries.ts";
import { ownTests, referenceTests } from "./own-tests.ts";
import { ScheduledCrashes, scheduledSource } from "./scheduled.ts";
import { isThreaded } from "./traced.ts";

const schedules = Number(env.SCHEDULES ?? 200);
const firstSeed = Number(env.SCHEDULES_SEED ?? 1);
/** With so many, the sets of these are complete: they run alone, which takes little. */
const enough = 5000;
/** However busy the computer is. */
const noTimeout = 2 ** 31 - 1;
const complete: readonly string[] = [
  "cell-W-FO-diff",
  "flush_mca-nofence-fo",
  "flush_mca-rfi-fo",
  "sb-persist-sf",
  "xthread-fence",
  "psan-fig7",
  "fo-fence-observed-by-other",
];

const folder = mkdtempSync(join(tmpdir(), "blackout-schedules-"));
const pool = join(folder, "pool");
afterAll(() => rmSync(folder, { recursive: true }));

/** The first phase, and what a later one may start from. */
function jobsOf(litmus: LitmusTest): readonly Job[] {
  try {
    const started = runPhases(litmus, "operational", { model: px86, limits: defaultLimits });
    return litmus.phases.flatMap((phase, index) =>
      (started[index] ?? []).slice(0, 1).map(({ start }) => ({
        name: index === 0 ? litmus.name : `${litmus.name}, phase ${index} from ${start.join(" ")}`,
        machine: machineFor(litmus, phase, start, px86),
      })),
    );
  } catch (error) {
    if (error instanceof LimitReached) return [];
    throw error;
  }
}
const random = seedRandom(firstSeed);
const randomTests = Array.from({ length: 40 }, (_, i) => randomTest(random, `random-${firstSeed}-${i}`));
const jobs = [...ownTests, ...referenceTests, ...randomTests]
  .flatMap(jobsOf)
  .filter(({ machine }) => isThreaded(machine));
const threads = Math.max(...jobs.map(({ machine }) => machine.phase.length));

const allowedOf = ({ machine }: Job): ReadonlySet<string> =>
  new Set([...operationalOutcomes(machine, defaultLimits).any.values()].map((memory) => memory.join()));

/** Runs the tests from their beginning by one schedule after another, and takes what each leaves. */
function crashesOf(some: readonly Job[], seeds: Iterable<number>, hotAfter: number): ScheduledCrashes {
  const program = compileText("litmus-scheduled", scheduledSource(some), ["-O1", "-static", "-pthread"]);
  writeFileSync(pool, pagesOf(some));
  let records: Uint32Array[] = [];
  const keep = () => ({ events: (words: Uint32Array) => void records.push(words.slice()), end: () => undefined });
  const trace = { recorder: new Recorder([keep]), annotations: false };
  const { machine } = loadGuest([program, pool, `${threads}`], { hotAfter, trace, schedule: { seed: 0 } });
  machine.stopAt([machine.symbol("main")!]);
  expect(machine.run().kind).toBe("address");
  machine.stopAt([]);
  const start = machine.snapshot();
  const crashes = new ScheduledCrashes(some);
  for (const seed of seeds) {
    records = [];
    machine.scheduleBy({ seed });
    expect(machine.run(), `seed ${seed}`).toEqual({ kind: "ended", outcome: { kind: "exit", code: 0 } });
    const all = joined(records);
    crashes.take(all, poolIn(all));
    machine.restore(start);
  }
  return crashes;
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Where the pool is mapped: the only mapping after main has begun. */
function poolIn(records: Uint32Array): number {
  for (let at = 0; at < records.length; at += recordWords)
    if (codeIn(records[at]!) === codeOf.map) return records[at + inRecord.address]!;
  throw new Error("the pool is mapped");
}

const seedsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

describe.each([
  ["interpreted", 0, schedules],
  ["compiled", 20, Math.ceil(schedules / 20)],
] as const)("%s", (_tier, hotAfter, count) => {
  let memories: ScheduledCrashes["memories"] = [];
  let allowed: readonly ReadonlySet<string>[] = [];
  beforeAll(() => {
    ({ memories } = crashesOf(jobs, seedsFrom(firstSeed, count), hotAfter));
    allowed = jobs.map(allowedOf);
  }, noTimeout);

  test(`no crash state of ${jobs.length} programs is illegal, with ${count} schedules from ${firstSeed} on`, () => {
    const illegal = jobs.flatMap(({ name }, i) =>
      [...memories[i]!.keys()].filter((key) => !allowed[i]!.has(key)).map((key) => `${name}: ${key}`),
    );
    expect(illegal).toEqual([]);
  });

  test("most crash states that the model allows come about", () => {
    const found = jobs.reduce((sum, _, i) => sum + memories[i]!.size, 0);
    const all = allowed.reduce((sum, { size }) => sum + size, 0);
    expect(found).toBeGreaterThan(0.8 * all);
  });
});

test.skipIf(schedules < enough)("all of them come about where that is asked for", { timeout: noTimeout }, () => {
  const some = jobs.filter(({ name }) => complete.includes(name));
  const { memories } = crashesOf(some, seedsFrom(firstSeed, enough), 0);
  expect(new Set(some.map(({ name }) => name))).toEqual(new Set(complete));
  for (const [i, job] of some.entries()) expect(new Set(memories[i]!.keys()), job.name).toEqual(allowedOf(job));
});
