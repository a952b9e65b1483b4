/**
 * Robustness of a traced run by its definition, state by state: recovery runs on every crash state, and what it read is held against
 * every prefix of the run. The slow twin of src/engines/robust; it shares nothing with clocks, bounds and the tree.
 */

import { type Held, PointRunner, planPoints } from "../../src/crash/recovery-tree/index.ts";
import { TraceCursor } from "../../src/crash/states/index.ts";
import { EnumeratePlan, enumerateEngine } from "../../src/engines/index.ts";
import { stateAt } from "../../src/exploration/nested-crashes/index.ts";
import { lineBytes } from "../../src/model/pmem/index.ts";
import type { CrashEngine, LeadScene } from "../../src/session/work/index.ts";
import { eventsBetween, type TraceEvent } from "../../src/trace/events/index.ts";
import { finished } from "../support/scene.ts";

/** One event of a store: all of it, or a piece. */
export interface Piece {
  readonly seq: number;
  readonly thread: number;
  readonly file: number;
  /** In the file. */
  readonly offset: number;
  readonly bytes: readonly number[];
  /** The store that it is of, by its first event. */
  readonly store: number;
}

/** From event `seq` on, the thread has seen what the other one stored by event `until`. */
interface Edge {
  readonly seq: number;
  readonly thread: number;
  readonly other: number;
  readonly until: number;
}

/** A byte of a file, and which event it holds: undefined for what was there before. */
type Memory = ReadonlyMap<string, Piece | undefined>;

const place = (file: number, offset: number): string => `${file} ${offset}`;

/** A locked operation is its event and, unless it only read, the store that its thread makes next, at the same place. */
function edgeOf(store: Piece, site: number, locked: TraceEvent | undefined, pieces: readonly Piece[]): Edge[] {
  if (locked?.site !== site) return [];
  const touches = (piece: Piece) =>
    piece.file === store.file && Math.floor(piece.offset / 8) === Math.floor(store.offset / 8);
  const read = pieces.findLast(touches);
  // Who has read one piece of a store comes after all of it: happens-before is a relation of stores.
  const whole = pieces.findLast((piece) => piece.store === read?.store);
  return read === undefined || read.thread === store.thread
    ? []
    : [{ seq: store.seq, thread: store.thread, other: read.thread, until: whole!.seq }];
}

function piecesOf({ trace }: LeadScene, cursor: TraceCursor): { readonly pieces: Piece[]; readonly edges: Edge[] } {
  const pieces: Piece[] = [];
  const edges: Edge[] = [];
  const locked = new Map<number, TraceEvent>();
  for (const event of eventsBetween(trace, 0, trace.count)) {
    if (event.kind === "thread-start")
      edges.push({ seq: event.seq, thread: event.thread, other: event.parent, until: event.seq });
    if (event.kind === "locked") locked.set(event.thread, event);
    if (event.kind !== "store" && event.kind !== "non-temporal") continue;
    const at = cursor.before(event.seq).mappings.at(event.address);
    if (at === undefined) continue;
    const { seq, thread, size, value, further } = event;
    const bytes = Array.from({ length: size }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
    const store = further ? pieces.at(-1)!.store : seq;
    const piece: Piece = { seq, thread, ...at, bytes, store };
    edges.push(...edgeOf(piece, event.site, locked.get(thread), pieces));
    locked.delete(thread);
    pieces.push(piece);
  }
  return { pieces, edges };
}

function memoryOf(pieces: Iterable<Piece>): Memory {
  const memory = new Map<string, Piece>();
  for (const piece of pieces)
    for (let i = 0; i < piece.bytes.length; i++) memory.set(place(piece.file, piece.offset + i), piece);
  return memory;
}

/** Every set of a thread's pieces that a crash under strict persistency may have kept: whole stores, and of the next any pieces. */
function* threadPrefixes(own: readonly Piece[]): Iterable<readonly Piece[]> {
  const stores = [...new Set(own.map(({ store }) => store))];
  yield [];
  for (const store of stores) {
    const before = own.filter((piece) => piece.store < store);
    const next = own.filter((piece) => piece.store === store);
    for (let mask = 1; mask < 2 ** next.length; mask++) yield [...before, ...next.filter((_, i) => (mask >>> i) & 1)];
  }
}

/** Sets of pieces that are a prefix of each thread, and closed under what threads have seen of each other. */
function prefixesOf(pieces: readonly Piece[], edges: readonly Edge[]): readonly (readonly Piece[])[] {
  let sets: (readonly Piece[])[] = [[]];
  for (const thread of new Set(pieces.map((piece) => piece.thread))) {
    const own = [...threadPrefixes(pieces.filter((piece) => piece.thread === thread))];
    sets = sets.flatMap((set) => own.map((prefix) => [...set, ...prefix]));
  }
  const isClosed = (set: readonly Piece[]) =>
    edges.every(
      ({ seq, thread, other, until }) =>
        !set.some((piece) => piece.thread === thread && piece.seq >= seq) ||
        pieces.every((piece) => piece.thread !== other || piece.seq > until || set.includes(piece)),
    );
  return sets.filter(isClosed).map((set) => set.toSorted((a, b) => a.seq - b.seq));
}

export interface StatesJudged {
  readonly states: number;
  /** Different sequences of questions and answers: all, and those of states that violate robustness. */
  readonly ways: number;
  readonly violating: number;
  /** Whether recovery reads values somewhere that no prefix of the run up to the crash has. */
  readonly hasError: boolean;
}

/** Every set of stores, in the order in which they became visible, that a crash under strict persistency may have kept. */
export type PrefixesOf = (pieces: readonly Piece[]) => readonly (readonly Piece[])[];

/** For runs of few states. `known`: what happens before what, where it is known otherwise than from the trace. */
export function judgeStates(scene: LeadScene, known?: PrefixesOf): StatesJudged {
  const all = finished(enumerateEngine() as CrashEngine, EnumeratePlan, scene);
  const { points } = planPoints(scene.trace, scene.run.history, "px86");
  const runner = new PointRunner(points, scene.versions, scene.subject.recovery().recovery, scene.judging.hangLimit);
  const { pieces, edges } = piecesOf(scene, new TraceCursor(all.source));
  const cursor = new TraceCursor(all.source);
  const knownPrefixes = known?.(pieces).map(memoryOf);
  const ways = new Set<string>();
  const violating = new Set<string>();
  let hasError = false;
  for (const [number, { point, count }] of all.setup.enumerated.points.entries()) {
    const moment = cursor.before(point.seq);
    const before = pieces.filter(({ seq }) => seq < point.seq);
    const prefixes = knownPrefixes ?? prefixesOf(before, edges).map(memoryOf);
    for (let i = 0; i < count; i++) {
      const cuts = stateAt(moment, i);
      const held = cuts.map(({ line, cut }): Held => {
        const own = points.lineAt(line.file, line.index)!;
        return [own, points.contentAt(own, number, cut)!];
      });
      const { asked } = runner.run(number, held);
      const lost = new Set(
        cuts.flatMap(({ line, cut: { kept, pieces: some } }) =>
          line.pending.filter((_, at) => at >= kept && !((some >>> (at - kept)) & 1)).map(({ seq }) => seq),
        ),
      );
      const memory = memoryOf(before.filter(({ seq }) => !lost.has(seq)));
      const read = bytesRead(asked.questions, points);
      const valueAt = (of: Memory, at: string) => {
        const piece = of.get(at);
        return piece && piece.bytes[Number(at.split(" ")[1]) - piece.offset];
      };
      const initial = (at: string) => initialByte(points, at);
      const way = `${asked.questions} ${asked.texts} ${read.map((at) => valueAt(memory, at) ?? initial(at))}`;
      ways.add(way);
      if (prefixes.some((prefix) => read.every((at) => prefix.get(at) === memory.get(at)))) continue;
      violating.add(way);
      const isSame = (prefix: Memory) =>
        read.every((at) => (valueAt(prefix, at) ?? initial(at)) === (valueAt(memory, at) ?? initial(at)));
      if (!prefixes.some(isSame)) hasError = true;
    }
  }
  return { states: all.items, ways: ways.size, violating: violating.size, hasError };
}

type Points = ReturnType<typeof planPoints>["points"];

/** Questions are about four bytes of a line that was stored to. */
const bytesRead = (questions: Int32Array, points: Points): readonly string[] =>
  [...questions]
    .filter((question) => question >= 0)
    .flatMap((question) => {
      const { file, index } = points.place(Math.floor(question / 16));
      return Array.from({ length: 4 }, (_, i) => place(file, index * lineBytes + 4 * (question % 16) + i));
    });

function initialByte(points: Points, at: string): number {
  const [file, offset] = at.split(" ").map(Number);
  const line = points.lineAt(file!, Math.floor(offset! / lineBytes))!;
  return points.bytes(points.base(line))[offset! % lineBytes]!;
}
