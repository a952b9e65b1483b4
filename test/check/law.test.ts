/**
 * What the law allows is what the tracker's cuts give, pieces of wide stores among them: on random traces every part of a
 * line's stores is tried. An illegal crash state is our mistake and said to be; a hypothetical one is nobody's.
 */
import { expect, it } from "vitest";
import { Bug, below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import {
  BaseLines,
  type CrashSource,
  CrashWalk,
  type CutLine,
  checkLegal,
  crashSourceOf,
  RecoveryOutcomes,
  TraceCursor,
} from "../../src/crash/states/index.ts";
import {
  applyStore,
  contentsAt,
  lineCuts,
  nothingKept,
  type PmLines,
  type TrackedLine,
} from "../../src/model/pmem/index.ts";
import { type EventBody, EventStore, replay } from "../../src/trace/events/index.ts";
import { piecesOf } from "../../src/trace/record/index.ts";
import { subjectOf, traced } from "../support/subject.ts";
import { pm, TraceBuilder } from "../trace/builder.ts";
import { checkGuest, pool } from "./guests.ts";

const checkCuts = (source: CrashSource, seq: number, lines: PmLines, named: readonly CutLine[]) =>
  checkLegal(source, seq, lines, { background: [], named });

const seeds = Array.from({ length: 12 }, (_, i) => 500 + i);

/** Bytes or zeros that a call leaves in the file, or fsync of it. */
function someCall(random: RandomState): EventBody {
  const to = { kind: "written", path: "/pm/pool", offset: below(random, 200) } as const;
  return pick<EventBody>(random, [
    { ...to, zeros: 1 + below(random, 100) },
    { ...to, bytes: Uint8Array.from({ length: 1 + below(random, 40) }, () => below(random, 256)) },
    { kind: "fsync", path: "/pm/pool" },
  ]);
}

function randomTrace(seed: number): TraceBuilder {
  const random = seedRandom(seed);
  const trace = new TraceBuilder().map();
  for (let i = 0; i < 40; i++) {
    const at = { thread: 1 + below(random, 2) };
    const address = pm + below(random, 3) * 64 + below(random, 48);
    const kind = pick(random, ["store", "store", "non-temporal"] as const);
    const wide = () => {
      for (const piece of piecesOf(address, pick(random, [8, 16, 16])))
        trace.add(
          {
            kind,
            address: piece.address,
            size: piece.bytes,
            value: BigInt(1 + below(random, 2 ** 31)),
            ...(piece.skipped > 0 && { further: true }),
          },
          at,
        );
    };
    pick(random, [
      wide,
      wide,
      () => trace.flush(address, at, pick(random, ["clflush", "clflushopt", "clwb"] as const)),
      () => trace.fence(at, pick(random, ["sfence", "mfence", "locked", "lfence"] as const)),
      () => below(random, 8) === 0 && trace.msync(pm, 64 + below(random, 128)),
      () => below(random, 2) === 0 && trace.add(someCall(random)),
    ])();
  }
  return trace;
}

function sourceOf(trace: TraceBuilder): CrashSource {
  let store: EventStore | undefined;
  const openSpill = () => {
    throw new Error("a short trace");
  };
  trace.play((tables) => (store = new EventStore(tables, { memoryBytes: 1 << 28, openSpill })));
  const bases = new BaseLines();
  const readBase = bases.recording(() => new Uint8Array(64).fill(0xee));
  replay(store!, new CrashWalk(store!.tables, { granularity: "flush", allPoints: false, readBase }));
  const versions = { versionAt: () => 0, read: () => new Map() };
  return { trace: store!, versions, bases, operations: new Uint32Array() };
}

/** The line with some of its pending pieces, by the bits of a number. */
function partOf(line: TrackedLine, part: number): Uint8Array {
  const contents = line.persisted.slice();
  for (const [i, store] of line.pending.entries()) if ((part >>> i) & 1) applyStore(contents, store);
  return contents;
}

it.each(seeds)("seed %i: the law allows the tracker's cuts and nothing else", (seed) => {
  const source = sourceOf(randomTrace(seed));
  const cursor = new TraceCursor(source);
  let forbidden = 0;
  for (let seq = 0; seq <= source.trace.count; seq++) {
    const { lines } = cursor.before(seq);
    checkCuts(
      source,
      seq,
      lines,
      lines.open.map((line) => ({ line, cut: nothingKept })),
    );
    for (const line of lines.open.filter(({ pending }) => pending.length <= 6)) {
      const cuts = new Set([...lineCuts(line)].map((cut) => contentsAt(line, cut).join()));
      for (let part = 0; part < 2 ** line.pending.length; part++) {
        const persisted = partOf(line, part);
        const check = () =>
          checkCuts(source, seq, lines, [{ line: { ...line, persisted, pending: [] }, cut: nothingKept }]);
        if (cuts.has(persisted.join())) check();
        else {
          expect(check, `before event ${seq}`).toThrow(/PM-24/);
          forbidden++;
        }
      }
    }
  }
  expect(forbidden).toBeGreaterThan(0);
});

it("an illegal state is our mistake, unless it is hypothetical", () => {
  const subject = subjectOf([checkGuest("array", undefined), pool], { pm: ["**/*.img"] });
  const { run, judging } = traced(subject);
  const source = crashSourceOf(run.trace, run.history);
  const options = { memo: true, expectExit: 0, maxInstructions: judging.hangLimit };
  const recoveries = new RecoveryOutcomes(subject.recovery().recovery, source, options);
  const seq = run.trace.count;
  const moment = new TraceCursor(source).before(seq);
  const point = { seq, before: "end", thread: 0, site: 0, stack: 0 } as const;
  const [line] = moment.lines.tracked;
  const lost = [{ line: { ...line!, persisted: new Uint8Array(64).fill(0xff), pending: [] }, cut: nothingKept }];
  expect(() => recoveries.outcome(point, moment, lost)).toThrow(Bug);
  expect(recoveries.outcome(point, moment, lost, { hypothetical: true }).verdict.kind).not.toBe("ok");
});
