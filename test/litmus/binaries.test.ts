/**
 * Litmus tests as real binaries, in both tiers: each crash state that `check --all-points --granularity store` lays out is
 * one that the operational model allows. BINARIES_SEED, BINARIES_PROGRAMS and BINARIES_ROUNDS go on with other random programs
 * and schedules (`make fuzz`).
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { Bug, seedRandom } from "../../src/base/index.ts";
import {
  checkLegal,
  contentsOf,
  type FileVersions,
  type Moment,
  PointStates,
  TraceCursor,
} from "../../src/crash/states/index.ts";
import { planStates } from "../../src/engines/inject/plan.ts";
import { Builder } from "../../src/isa/lift/builder.ts";
import { defaultLimits, type LitmusTest, randomTest } from "../../src/model/litmus/index.ts";
import type { Machine } from "../../src/model/litmus/machine.ts";
import { operationalOutcomes } from "../../src/model/litmus/operational.ts";
import { crashWindows, lineBytes, lineKey, PmLines, px86, type TrackedLine } from "../../src/model/pmem/index.ts";
import { type EventBody, EventStore, Recorder, replay, type TraceEvent } from "../../src/trace/events/index.ts";
import { compileText, finish, loadGuest } from "../support/programs.ts";
import { pm } from "../trace/builder.ts";
import { collector } from "../trace/support.ts";
import { type Job, pageBytes, pagesOf, sourceOf } from "./binaries.ts";
import { jobsOf } from "./jobs.ts";
import { ownTests, referenceTests } from "./own-tests.ts";
import { addressesOf, isThreaded, steps } from "./traced.ts";

const firstSeed = Number(env.BINARIES_SEED ?? 7);
const rounds = Number(env.BINARIES_ROUNDS ?? 1);
const programs = Number(env.BINARIES_PROGRAMS ?? 60);

const folder = mkdtempSync(join(tmpdir(), "blackout-litmus-"));
const [pool, warm] = [join(folder, "pool"), join(folder, "warm")];
afterAll(() => rmSync(folder, { recursive: true }));

function* randomTests(count: number): Iterable<LitmusTest> {
  const random = seedRandom(firstSeed);
  for (let i = 0; i < count; i++) yield randomTest(random, `random-${firstSeed}-${i}`);
}
const jobs = [...ownTests, ...referenceTests, ...randomTests(programs)].flatMap(jobsOf);
const threaded = jobs.filter(({ machine }) => isThreaded(machine));
const single = jobs.filter(({ machine }) => !isThreaded(machine));
const compile = (name: string, some: readonly Job[]) =>
  compileText(name, sourceOf(some), ["-O1", "-static", "-pthread"]);
const binaries = { single: compile("litmus-single", single), threaded: compile("litmus-threaded", threaded) };

/** A compiled access to persistent memory gets a path of its own after a hundred times. */
const tiers = { interpreted: { hotAfter: 0, warmUps: 0 }, compiled: { hotAfter: 20, warmUps: 130 } } as const;
type Tier = keyof typeof tiers;

const storeOptions = {
  memoryBytes: 1 << 28,
  openSpill: () => {
    throw new Error("litmus tests' traces are short");
  },
};

function traced(program: string, some: readonly Job[], tier: Tier, seed: number): EventStore {
  writeFileSync(pool, pagesOf(some));
  let trace: EventStore | undefined;
  const recorder = new Recorder([
    (tables) => {
      trace = new EventStore(tables, storeOptions);
      return trace;
    },
  ]);
  const { hotAfter, warmUps } = tiers[tier];
  const command = [program, pool, warm, `${warmUps}`, `${seed}`];
  const guest = loadGuest(command, { hotAfter, trace: { recorder, annotations: false } });
  expect(finish(guest).outcome).toEqual({ kind: "exit", code: 0 });
  guest.machine.endTrace();
  return trace!;
}

const memoryIn = (machine: Machine, contents: (line: number) => Uint8Array | undefined): readonly number[] =>
  addressesOf(machine).map((address, location) => {
    const bytes = contents(Math.floor((address - pm) / 64));
    if (bytes === undefined) return machine.memory[location]!;
    return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(address % 64, true));
  });

type Memories = Map<string, readonly number[]>;
const noVersions: FileVersions & { readonly starts: readonly number[] } = {
  starts: [],
  versionAt: () => 0,
  read: () => new Map(),
};

/** The lines of the page that was stored to last; none while code warms up. */
function linesOf({ lines, mappings }: Moment, before: readonly TrackedLine[]): readonly TrackedLine[] {
  const last = lines.takeChanged().at(-1);
  if (last === undefined) return before;
  if (mappings.path(last.file) !== pool) return [];
  const first = last.index - (last.index % linesPerPage);
  return Array.from({ length: linesPerPage }, (_, i) => lines.get(lineKey(last.file, first + i))).filter(
    (line) => line !== undefined,
  );
}
const linesPerPage = pageBytes / lineBytes;

/** By job, the memories that check lays out, each once. */
function laidOut(trace: EventStore, some: readonly Job[]): readonly Memories[] {
  const pages = pagesOf(some);
  const readLine = (path: string, index: number) =>
    path === pool ? pages.slice(lineBytes * index, lineBytes * (index + 1)) : new Uint8Array(lineBytes);
  const options = { granularity: "store", allPoints: true, readLine, versions: noVersions } as const;
  const source = planStates(trace, options);
  const cursor = new TraceCursor(source);
  const memories = some.map((): Memories => new Map());
  let tracked: readonly TrackedLine[] = [];
  for (let index = 0; index < source.table.points; index++) {
    const point = source.table.point(index);
    const moment = cursor.before(point.seq);
    tracked = linesOf(moment, tracked);
    if (tracked.length === 0) continue;
    const page = Math.floor(tracked[0]!.index / linesPerPage);
    const states = new PointStates(moment.lines, point);
    for (let number = 0; number < states.count; number++) {
      const state = states.at(number);
      const { cuts } = state;
      checkLegal(source, point.seq, moment.lines, state);
      const left = [...contentsOf({ tracked }, cuts)];
      const memory = memoryIn(
        some[page]!.machine,
        (line) => left.find((each) => each.index % linesPerPage === line)?.bytes,
      );
      memories[page]!.set(memory.join(), memory);
    }
  }
  return memories;
}

/**
 * What a crash may leave where at most one line is cut otherwise than all others, which are all kept or all lost. That one is
 * kept or lost too, or cut anywhere.
 */
function nearlyUniform(machine: Machine, where: "at its ends" | "anywhere"): Memories {
  const memories: Memories = new Map();
  for (const { state } of steps(machine, seedRandom(0))) {
    const windows = crashWindows(state.pm, px86).filter(({ stores }) => stores.length > 0);
    for (const others of ["from", "to"] as const)
      for (const [own, { from, to }] of windows.entries())
        for (let cut = from; cut <= to; cut += where === "anywhere" ? 1 : Math.max(1, to - from)) {
          const memory = machine.memory.slice();
          for (const [i, { stores, ...bounds }] of windows.entries())
            for (const { address, payload } of stores.slice(0, i === own ? cut : bounds[others]))
              memory[address] = payload;
          memories.set(memory.join(), memory);
        }
  }
  return memories;
}

const told = ({ name, machine }: Job, memories: Iterable<readonly number[]>): string[] =>
  [...memories].map(
    (memory) => `${name}: ${machine.locations.map((location, i) => `${location.name}=${memory[i]}`).join(" ")}`,
  );

const allowed = new Map(
  jobs.map(({ machine }) => [
    machine,
    new Set([...operationalOutcomes(machine, defaultLimits).any.values()].map((memory) => memory.join())),
  ]),
);

/** Of each job's memories those that a test picks, in words. */
const picked = (
  some: readonly Job[],
  memoriesOf: (job: Job, i: number) => Memories,
  picks: (key: string, job: Job, i: number) => boolean,
): string[] =>
  some.flatMap((job, i) => {
    const found = [...memoriesOf(job, i)].filter(([key]) => picks(key, job, i));
    return told(
      job,
      found.map(([, memory]) => memory),
    );
  });

/** Crash states that the model forbids. */
const illegal = (some: readonly Job[], memories: readonly Memories[]): string[] =>
  picked(
    some,
    (_, i) => memories[i]!,
    (key, { machine }) => !allowed.get(machine)!.has(key),
  );

/** Where the job's code is about to begin or over: three load fences each time. */
function marksIn(events: readonly TraceEvent[]): readonly number[] {
  const fences = events.flatMap(({ kind }, at) => (kind === "lfence" ? [at] : []));
  return fences.filter((_, i) => i % 3 === 0);
}

/** What a store or flush does, relative to its page; of a fence, which it is. */
const shownEvent = (event: EventBody): string =>
  [event.kind, "address" in event && event.address % pageBytes, "value" in event && event.value].join(" ");

/** The events of each job, as its own code made them. */
function eventsOf(trace: EventStore): readonly (readonly string[])[] {
  const events: TraceEvent[] = [];
  replay(trace, collector(events)(trace.tables));
  const marks = marksIn(events);
  return marks.filter((_, i) => i % 2 === 0).map((mark, i) => events.slice(mark + 3, marks[2 * i + 1]).map(shownEvent));
}

/** The jobs whose events are not those that the model's run leaves. */
const otherEvents = (trace: EventStore): readonly string[] => {
  const found = eventsOf(trace);
  return single.flatMap(({ name, machine }, i) => {
    const bodies = [...steps(machine, seedRandom(0))].flatMap((step) => step.bodies);
    const expected = bodies.map((body) =>
      shownEvent("address" in body ? { ...body, address: body.address - pm } : body),
    );
    return expected.join() === found[i]?.join() ? [] : [`${name}: ${found[i]?.join(", ")}, not ${expected.join(", ")}`];
  });
};

describe.each(["interpreted", "compiled"] as const)("%s", (tier) => {
  const trace = traced(binaries.single, single, tier, 0);
  const memories = laidOut(trace, single);
  const missing = (where: "at its ends" | "anywhere") =>
    picked(
      single,
      ({ machine }) => nearlyUniform(machine, where),
      (key, _, i) => !memories[i]!.has(key),
    );

  test(`each of ${single.length} programs leaves the model's trace`, () => {
    expect(otherEvents(trace)).toEqual([]);
  });
  test("no crash state is illegal", () => {
    expect(illegal(single, memories)).toEqual([]);
    expect(memories.filter(({ size }) => size > 1).length).toBeGreaterThan(single.length / 2);
  });
  test("where at most one line is not as the others, kept or lost, every state is laid out", () => {
    expect(missing("at its ends")).toEqual([]);
  });
  test("or cut anywhere", () => {
    expect(missing("anywhere")).toEqual([]);
  });
  test(`no crash state of ${threaded.length} programs with threads is illegal, from seed ${firstSeed} on`, {
    timeout: 2 ** 31 - 1,
  }, () => {
    for (let seed = firstSeed; seed < firstSeed + rounds; seed++)
      expect(
        illegal(threaded, laidOut(traced(binaries.threaded, threaded, tier, seed), threaded)),
        `seed ${seed}`,
      ).toEqual([]);
  });
});

describe("a mutant is caught", () => {
  afterEach(() => void vi.restoreAllMocks());
  const { store } = Builder.prototype;
  const rerun = () => traced(binaries.single, single, "interpreted", 0);

  test("that drains late", () => {
    vi.spyOn(Builder.prototype, "store").mockImplementation(function (this: Builder, ...how) {
      store.apply(this, how);
      const [before, last] = this.ops.slice(-2);
      if (before?.kind === "fence") this.ops.splice(-2, 2, last!, before);
    });
    expect(illegal(single, laidOut(rerun(), single))).not.toEqual([]);
  });
  test("that keeps a failed compare-and-swap as a store", () => {
    vi.spyOn(Builder.prototype, "store").mockImplementation(function (this: Builder, access, address, value, how = {}) {
      const { when, ...rest } = how;
      const old = when && this.load(access === "i64.store" ? "i64.load" : "i32.load", address);
      store.call(this, access, address, when === undefined ? value : this.select(when, value, old!), rest);
    });
    expect(otherEvents(rerun())).not.toEqual([]);
  });
  test("that applies a fence to another thread's flush", () => {
    const { fence } = PmLines.prototype;
    const trace = traced(binaries.threaded, threaded, "interpreted", firstSeed);
    vi.spyOn(PmLines.prototype, "fence").mockImplementation(function (this: PmLines) {
      for (let thread = 0; thread < 2000; thread++) fence.call(this, thread);
    });
    expect(() => laidOut(trace, threaded)).toThrow(Bug);
  });
});
