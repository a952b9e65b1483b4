/** Failure points and crash states from a trace: by hand, and against the slow twin on random traces. */
import { describe, expect, it } from "vitest";
import { below, pick, seedRandom } from "../../src/base/index.ts";
import {
  CrashWalk,
  contentsOf,
  type FailurePoint,
  type Granularity,
  PointStates,
  pointKinds,
} from "../../src/crash/states/index.ts";
import { fullContents } from "../../src/model/pmem/index.ts";
import { decodeEvent, type EventSink, type TraceEvent, type TraceTables } from "../../src/trace/events/index.ts";
import { recordWords } from "../../src/trace/record/index.ts";
import { pm, TraceBuilder } from "../trace/builder.ts";
import { slowLines, slowPoints } from "./twin.ts";

interface SeenLine {
  readonly line: number;
  readonly persisted: readonly number[];
  readonly full: readonly number[];
  readonly pending: readonly number[];
}
interface Seen {
  readonly point: FailurePoint;
  readonly lines: readonly SeenLine[];
  readonly states: readonly {
    readonly kind: string;
    readonly cuts: readonly (readonly number[])[];
    readonly contents: string;
  }[];
  readonly changed: readonly number[];
}

function walk(builder: TraceBuilder, options: { granularity?: Granularity; allPoints?: boolean } = {}) {
  const seen: Seen[] = [];
  const events: TraceEvent[] = [];
  let walker: CrashWalk | undefined;
  const keep = (tables: TraceTables): EventSink => ({
    events: (words, first) => {
      for (let at = 0; at < words.length / recordWords; at++)
        events.push(decodeEvent(words, at, first + at, tables.texts));
    },
    end: () => {},
  });
  builder.play(keep, (tables) => {
    walker = new CrashWalk(tables, {
      granularity: options.granularity ?? "flush",
      allPoints: options.allPoints ?? false,
      readBase: () => new Uint8Array(64),
      visit: (point, { lines }) => {
        const all = new PointStates(lines, point);
        const states = [...Array(all.count).keys()].map((index) => all.at(index));
        seen.push({
          point,
          lines: [...lines.tracked]
            .map((line) => ({
              line: pm / 64 + line.index,
              persisted: [...line.persisted],
              full: [...fullContents(line)],
              pending: line.pending.map(({ seq }) => seq),
            }))
            .sort((a, b) => a.line - b.line),
          states: states.map(({ kind, cuts }) => ({
            kind,
            cuts: cuts.map(({ line, cut }) => [line.index, cut.kept, ...(cut.pieces === 0 ? [] : [cut.pieces])]),
            contents: JSON.stringify(
              [...contentsOf(lines, cuts)]
                .filter(({ bytes }) => bytes.some((byte) => byte !== 0))
                .map(({ index, bytes }) => [index, ...bytes])
                .sort((a, b) => a[0]! - b[0]!),
            ),
          })),
          changed: lines.takeChanged().map(({ index }) => pm / 64 + index),
        });
      },
    });
    return walker;
  });
  return { seen, events, tree: walker!.tree };
}

const before = (builder: TraceBuilder, options = {}) => walk(builder, options).seen.map(({ point }) => point.before);

describe("failure points", () => {
  it("lie before flushes, fences and msync after a change, and at the end", () => {
    const trace = new TraceBuilder()
      .map()
      .store(pm)
      .flush(pm)
      .fence()
      .store(pm + 64)
      .fence({}, "mfence");
    expect(before(trace.store(pm).msync(pm, 64).store(pm).exit())).toEqual(["clwb", "mfence", "msync", "end"]);
  });
  it("do not lie where nothing changed, nor before lfence", () => {
    const trace = new TraceBuilder().map().flush(pm).fence().store(pm).fence({}, "lfence").flush(pm).flush(pm).fence();
    expect(before(trace)).toEqual(["clwb", "end"]);
  });
  it("lie between a promise and the fence that it should have waited for", () => {
    const trace = () => new TraceBuilder().map().store(pm).flush(pm).output("done").fence();
    expect(before(trace())).toEqual(["clwb", "sfence", "end"]);
    expect(before(new TraceBuilder().map().output("ready").store(pm).output("log", 2).output("done").fence())).toEqual([
      "output",
      "sfence",
      "end",
    ]);
  });
  it("lie before every store when asked", () => {
    const trace = new TraceBuilder()
      .map()
      .store(pm)
      .store(pm + 8)
      .fence();
    expect(before(trace, { granularity: "store" })).toEqual(["store", "sfence", "end"]);
  });
  it("count once for a place with its calls, unless all are wanted", () => {
    const looped = () => {
      const trace = new TraceBuilder().map();
      for (const from of ["main 16", "main 19", "main 16"])
        trace.store(pm, 1n, { at: "set", from }).persist(pm, { at: "persist", from });
      return trace;
    };
    const { seen, tree } = walk(looped());
    expect(seen).toHaveLength(3);
    expect(tree.root.children.map(({ children }) => children.length)).toEqual([2, 1]);
    expect(walk(looped(), { allPoints: true }).seen).toHaveLength(4);
  });
});

describe("crash states", () => {
  it("lose nothing, all that is pending, or one pending line", () => {
    const [seen] = walk(
      new TraceBuilder()
        .map()
        .store(pm)
        .store(pm + 64)
        .fence(),
    ).seen;
    expect(seen?.states.map(({ kind, cuts }) => [kind, ...cuts])).toEqual([
      ["prefix"],
      ["durable", [0, 0], [1, 0]],
      ["line-lost", [0, 0]],
      ["line-lost", [1, 0]],
    ]);
  });
  it("lose nothing that was flushed and fenced by its own thread", () => {
    const trace = new TraceBuilder()
      .map()
      .store(pm)
      .flush(pm)
      .fence({ thread: 2 })
      .store(pm + 64)
      .fence()
      .store(pm + 128);
    const points = walk(trace.exit()).seen.map(({ states }) => states.map(({ cuts }) => cuts.map(([line]) => line)));
    expect(points).toEqual([
      [[], [0]],
      [[], [0, 1], [0], [1]],
      [[], [1, 2], [1], [2]],
    ]);
  });
  it("keep one line alone, and cut a line between its stores with all others kept or lost", () => {
    const trace = new TraceBuilder()
      .map()
      .store(pm, 1n)
      .store(pm + 8, 1n)
      .store(pm + 64)
      .store(pm + 128);
    const states = walk(trace.fence()).seen[0]?.states.map(({ kind, cuts }) => [kind, ...cuts]);
    expect(states?.slice(5)).toEqual([
      ["line-kept", [1, 0], [2, 0]],
      ["line-kept", [0, 0], [2, 0]],
      ["line-kept", [0, 0], [1, 0]],
      ["cut-kept", [0, 1]],
      ["cut-lost", [0, 1], [1, 0], [2, 0]],
    ]);
  });
  it("keep lines in the order of their flushes, each as far as its flush covers", () => {
    const trace = new TraceBuilder().map();
    for (const line of [0, 1, 2, 3]) trace.store(pm + 64 * line);
    for (const line of [2, 0, 3]) trace.flush(pm + 64 * line);
    const states = walk(trace.store(pm, 2n).fence())
      .seen.at(-2)
      ?.states.map(({ kind, cuts }) => [kind, ...cuts]);
    expect(states?.filter(([kind]) => kind === "flushed")).toEqual([
      ["flushed", [0, 1], [1, 0], [3, 0]],
      ["flushed", [0, 1], [1, 0]],
    ]);
  });
  it("keep or lose pieces of a wide store", () => {
    const states = walk(new TraceBuilder().map().wide(pm, [1n, 2n]).fence()).seen[0]?.states;
    expect(states?.map(({ kind, cuts }) => [kind, ...cuts])).toEqual([
      ["prefix"],
      ["durable", [0, 0]],
      ["cut-kept", [0, 0, 1]],
      ["cut-kept", [0, 0, 2]],
    ]);
  });
  it("are sampled where they would be too many, and the rest is counted", () => {
    const trace = new TraceBuilder().map();
    for (let line = 0; line < 100; line++) for (let at = 0; at < 7; at++) trace.store(pm + 64 * line + 8 * at);
    const counts: (readonly [number, number])[] = [];
    trace.fence().play((tables) => {
      return new CrashWalk(tables, {
        granularity: "flush",
        allPoints: true,
        readBase: () => new Uint8Array(64),
        visit: ({ thread, seq }, { lines }) => {
          const { count, leftOut } = new PointStates(lines, { thread, seq });
          counts.push([count, leftOut]);
        },
      });
    });
    expect(counts[0]).toEqual([2 + 2 * 64 + 2 * 512, 2 * (100 - 64) + 2 * (600 - 512)]);
  });
  it("cover a flush's stores only up to the flush", () => {
    const trace = new TraceBuilder()
      .map()
      .store(pm, 1n)
      .flush(pm)
      .store(pm, 2n)
      .fence()
      .store(pm + 64)
      .exit();
    const last = walk(trace).seen.at(-1);
    expect(last?.lines[0]?.persisted[0]).toBe(1);
    expect(last?.lines[0]?.full[0]).toBe(2);
  });
});

/** Stores, flushes and fences of two threads on four lines. */
function randomTrace(seed: number): TraceBuilder {
  const random = seedRandom(seed);
  const trace = new TraceBuilder().map();
  for (let count = below(random, 40); count > 0; count--) {
    const at = { thread: 1 + below(random, 2) };
    const address = pm + 64 * below(random, 4) + 8 * below(random, 2);
    const value = BigInt(below(random, 3));
    pick(random, [
      () => trace.store(address, value, at),
      () => trace.store(address, value, { ...at, size: 4 }),
      () => trace.nonTemporal(address, value, at),
      () => trace.flush(address, at, pick(random, ["clwb", "clflush", "clflushopt"] as const)),
      () => trace.fence(at, pick(random, ["sfence", "mfence", "locked", "lfence"] as const)),
      () => trace.output("x", 1 + below(random, 2), at),
      () => (below(random, 4) === 0 ? trace.msync(pm, 64 * below(random, 4)) : trace),
    ])();
  }
  return trace;
}

describe("against the slow twin", () => {
  it.each([...Array(150).keys()])("seed %i", (seed) => {
    for (const granularity of ["flush", "store"] as const) {
      const { seen, events } = walk(randomTrace(seed), { granularity, allPoints: true });
      expect(seen.map(({ point }) => point.seq)).toEqual(slowPoints(events, pointKinds[granularity]));
      for (const { point, lines } of seen) expect(lines).toEqual(slowLines(events.slice(0, point.seq)));
    }
  });
  it("what changed since the point before is told", () => {
    let spared = false;
    for (let seed = 0; seed < 100; seed++) {
      const { seen } = walk(randomTrace(seed), { granularity: "store", allPoints: true });
      const known = new Map<number, string>();
      for (const { lines, changed } of seen) {
        for (const { line, full } of lines) if (changed.includes(line)) known.set(line, full.join());
        for (const { line, full } of lines) expect(known.get(line), `seed ${seed}`).toBe(full.join());
      }
      spared ||= seen.some(({ lines, changed }) => changed.length < lines.length);
    }
    expect(spared).toBe(true);
  });
});
