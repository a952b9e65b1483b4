/** Several threads: each has updates of its own, and what orders or joins them is only what one has seen of another. */
import { describe, expect, it } from "vitest";
import { below, type Line, pick, seedRandom, type ThreadId } from "../../src/base/index.ts";
import {
  type Behaviour,
  Behaviours,
  outlineOf,
  type Precedence,
  precedenceBy,
} from "../../src/engines/represent/index.ts";
import {
  crashWindows,
  createPmState,
  departures,
  issueFlush,
  issueSfence,
  issueStore,
  leave,
  px86,
} from "../../src/model/pmem/index.ts";
import { compileGuest } from "../support/programs.ts";
import { pool, represented } from "./support.ts";

const flags = ["-O1", "-g", "-static"];
const threads = (mistakes: readonly string[] = []) => compileGuest("represent/threads.c", [...flags, ...mistakes]);
const watched = { meetings: true };
const of = (guest: string, ...words: readonly string[]) =>
  represented([guest, pool, ...words], { recover: [guest, pool], ...watched });

it("a mistake between two threads is found where both lose something, and nothing without it", () => {
  const { plan } = of(threads(["-DBUG_HANDED"]), "orders");
  expect(plan.findings().map(({ frames }) => frames[0]?.function)).toEqual(["clerk"]);
  expect(of(threads(), "orders").plan.findings()).toEqual([]);
});

it("threads that change things of their own have the same updates one beside the other as one after the other", () => {
  const counts = (...words: readonly string[]) => {
    const { behaviours, groups, behavioursTested } = of(threads(), "slots", ...words).statistics;
    return { behaviours, groups, behavioursTested };
  };
  expect(counts()).toEqual(counts("alone"));
  // In the order of the trace, one's fences lie within the other's updates.
  const { statistics } = represented([threads(), pool, "slots"], { recover: [threads(), pool] });
  expect(statistics.behaviours).not.toBe(counts().behaviours);
});

describe("two threads that store to one object", () => {
  const epochs = (precedence: Precedence) => {
    const taken: Behaviour[] = [];
    const behaviours = new Behaviours((behaviour) => taken.push(behaviour), precedence);
    const store = (position: number, thread: number) =>
      behaviours.store({ position, line: position, statement: 0, thread, parts: [{ object: 0, field: position }] });
    const [first, second] = [store(0, 1), store(1, 2)];
    behaviours.durable([first], 2, 1);
    store(3, 2);
    behaviours.durable([second], 4, 2);
    behaviours.end();
    return taken.map(({ stores }) => stores.join(" "));
  };
  it("have one update if one knows of the other's store while it is not durable", () => {
    expect(epochs(() => true)).toEqual(["0 1 2"]);
  });
  it("have two if not", () => {
    expect(epochs(() => false)).toEqual(["0", "1 2"]);
    // Seen only when it is durable already.
    expect(epochs((_, { event }) => event === 3)).toEqual(["0", "1 2"]);
  });
});

const RUNS = Number(process.env.REPRESENT_RUNS ?? (process.env.SEEDED === "all" ? 400 : 100));
const seeds = Array.from({ length: RUNS }, (_, index) => Number(process.env.SEED ?? 1) + index);
const THREADS = 3;
const LINES = 4;

/** A random run of threads in the operational model. A thread now and then sees all that another has done. */
function threadRun(seed: number, steps: number) {
  const random = seedRandom(seed);
  const state = createPmState(THREADS);
  /** Edges of what happens before what, besides each thread's own order. */
  const met: (readonly [from: number, to: number])[] = [];
  const threadOf: number[] = [];
  /** The same as clocks: by event, the last event of each thread that its own has seen. */
  const seen: (readonly number[])[] = [];
  const now: number[][] = Array.from({ length: THREADS }, () => []);
  const precedence = precedenceBy({ isInTurn: true, clockOf: (event) => event, seen: (_, event) => seen[event]! });
  const behaviours = new Behaviours(() => {}, precedence);
  const fenced: number[] = [];
  const fields: number[] = [];
  for (let event = 0; event < steps; event++) {
    const thread = below(random, THREADS) as ThreadId;
    const line = below(random, LINES) as Line;
    threadOf.push(thread);
    const step = below(random, 6);
    if (step < 2) {
      const [field, statement] = [below(random, 3), fields.length];
      seen.push([...now[thread]!]);
      const issued = { position: event, line, statement, thread, parts: [{ object: 0, field }] };
      const payload = behaviours.store(issued);
      fields.push(field);
      issueStore(state, thread, { line, address: 0, size: 1, payload });
    } else if (step === 2) issueFlush(state, thread, "clflush", line, px86);
    else if (step === 3) issueFlush(state, thread, "clwb", line, px86);
    else if (step === 4) issueSfence(state, thread);
    else {
      const other = pick(
        random,
        [0, 1, 2].filter((each) => each !== thread),
      );
      const last = threadOf.lastIndexOf(other);
      if (last >= 0) {
        met.push([last, event]);
        for (const [each, until] of now[other]!.entries())
          now[thread]![each] = Math.max(now[thread]![each] ?? -1, until ?? -1);
      }
    }
    seen[event] ??= [...now[thread]!];
    now[thread]![thread] = event;
    while (departures(state, thread, px86).length > 0) leave(state, thread, 0, px86);
    const made: number[] = [];
    for (const { stores, from } of crashWindows(state, px86))
      for (const { payload } of stores.slice(0, from)) if (!behaviours.order.isDurable(payload)) made.push(payload);
    for (const store of made) fenced[store] = event;
    behaviours.durable(made, event, thread);
  }
  return { order: behaviours.order, met, threadOf, fenced, fields };
}

/** Whether one event leads to another, by each thread's own order and by what was seen. */
function leads({ met, threadOf }: ReturnType<typeof threadRun>, from: number, to: number): boolean {
  const reached = [from];
  for (const event of reached) {
    if (event === to) return true;
    const next = threadOf.indexOf(threadOf[event]!, event + 1);
    const seenBy = met.filter(([start]) => start === event).map(([, end]) => end);
    for (const each of [next, ...seenBy]) if (each >= 0 && !reached.includes(each)) reached.push(each);
  }
  return false;
}

it(`across threads the order is what leads from what made a store durable to the other, in ${RUNS} runs`, () => {
  let [ordered, apart] = [0, 0];
  for (const seed of seeds) {
    const run = threadRun(seed, 30);
    const { order, fenced, fields } = run;
    const precedes = (a: number, b: number): boolean => {
      if (a >= b) return false;
      const to = order.issuedAt(b);
      const isSameLine = order.lineOf(a) === order.lineOf(b);
      return (
        (isSameLine && leads(run, order.issuedAt(a), to)) || (fenced[a] !== undefined && leads(run, fenced[a], to))
      );
    };
    const stores = fields.map((_, store) => store);
    const expected = stores.flatMap((a) => stores.map((b) => precedes(a, b)));
    const found = stores.flatMap((a) => stores.map((b) => order.precedes(a, b)));
    expect({ seed, found }).toEqual({ seed, found: expected });
    if (fields.length === 0) continue;
    const outline = outlineOf({ objects: [0], stores, fields }, order);
    const strengths = outline.fields.flatMap((before) =>
      outline.fields.map((after) => {
        const pairs = stores
          .filter((a) => fields[a] === before)
          .flatMap((a) => stores.filter((b) => b !== a && fields[b] === after).map((b) => precedes(a, b)));
        if (!pairs.includes(true)) return 0;
        return pairs.includes(false) ? 1 : 2;
      }),
    );
    expect({ seed, strengths: outline.strengths }).toEqual({ seed, strengths });
    ordered += expected.filter((each) => each).length;
    apart += stores.flatMap((a) => stores.filter((b) => b > a && !precedes(a, b))).length;
  }
  expect(Math.min(ordered, apart)).toBeGreaterThan(RUNS);
});
