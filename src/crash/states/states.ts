/**
 * Crash states at a failure point, each legal by docs/MODEL.md §2: one cut for each line, between what is surely persisted and
 * all that was stored. Always:
 * - A point's states are numbered, and a number means the same state for everybody who has the trace.
 * - Where stores persist in their order (strict), a point has two states: every store, and only what is surely persisted. There are
 *   points before every store, so that no other prefix is missed.
 * - Lines are cut one at a time, with all others kept or all others lost, or in the order in which they were flushed.
 *   Mixtures of more are the explorer's.
 * - Above so many open lines or stores a seeded sample of the cuts is taken; `leftOut` counts the states that are not.
 */
import { assert, below, seedRandom } from "../../base/index.ts";
import {
  allKept,
  contentsAt,
  fullContents,
  type LineCut,
  nothingKept,
  type PmLines,
  piecesAt,
  type TrackedLine,
} from "../../model/pmem/index.ts";
import type { FailurePoint } from "./points.ts";
import { isPowerOfGrowth } from "./spread.ts";

/** A line that does not keep every store, and what it keeps. */
export interface CutLine {
  readonly line: TrackedLine;
  readonly cut: LineCut;
}

/**
 * prefix: every store so far is kept. durable: only what is surely persisted. line-lost, line-kept: one line loses or keeps
 * what all others keep or lose. cut-kept, cut-lost: one line is cut between its stores, or within a wide one, and all
 * others are kept or lost. flushed: lines are kept in the order of their flushes, up to one of them.
 */
export type StateKind = "prefix" | "durable" | "line-lost" | "line-kept" | "cut-kept" | "cut-lost" | "flushed";

/** One of a point's states, told by how it differs from a background that many states share. */
export class CrashState {
  readonly kind: StateKind;
  /** What lines that are not named keep: every store where they are not here either. One array for all states that share it. */
  readonly background: readonly CutLine[];
  readonly named: readonly CutLine[];

  constructor(kind: StateKind, background: readonly CutLine[], named: readonly CutLine[]) {
    this.kind = kind;
    this.background = background;
    this.named = named;
  }

  /** All lines that do not keep every store. */
  get cuts(): readonly CutLine[] {
    const named = new Set(this.named.map(({ line }) => line));
    const cut = this.named.filter(({ line, cut }) => cut.kept < line.pending.length);
    return [...cut, ...this.background.filter(({ line }) => !named.has(line))];
  }
}

/** The background of states that lose what they name. */
export const nothingLost: readonly CutLine[] = [];

/** Lines and cuts that are taken at a point at most: all the ordinary ones, a few where the place was looked at before. */
const most = { first: { lines: 64, cuts: 512 }, repeated: { lines: 8, cuts: 16 } } as const;
interface Limits {
  readonly lines: number;
  readonly cuts: number;
}

/** Where the line can be cut that is neither lost nor kept; of a wide store, one piece is kept or lost. */
export function* innerCuts(line: TrackedLine): Iterable<LineCut> {
  const { pending } = line;
  for (let kept = 0; kept < pending.length; ) {
    const pieces = piecesAt(line, kept);
    if (kept > 0) yield { kept, pieces: 0 };
    const all = 2 ** pieces - 1;
    if (pieces > 1) for (let piece = 0; piece < pieces; piece++) yield { kept, pieces: 1 << piece };
    if (pieces > 2) for (let piece = 0; piece < pieces; piece++) yield { kept, pieces: all & ~(1 << piece) };
    kept += pieces;
  }
}

function countInnerCuts(line: TrackedLine): number {
  let count = 0;
  for (let kept = 0; kept < line.pending.length; ) {
    const pieces = piecesAt(line, kept);
    count += (kept > 0 ? 1 : 0) + (pieces > 1 ? pieces : 0) + (pieces > 2 ? pieces : 0);
    kept += pieces;
  }
  return count;
}

/**
 * A counter that is never flushed has a cut for each time it was stored to, and they are alike: of the cuts behind one
 * line's stores of one site and offset, the 1st, 4th, 16th … and the last.
 */
function unalike(cuts: readonly CutLine[]): readonly CutLine[] {
  const counts = new Map<string, number>();
  const lasts = new Map<string, CutLine>();
  const taken = cuts.filter((at) => {
    const { site, offset } = at.line.pending[Math.max(0, at.cut.kept - 1)]!;
    const kind = `${at.line.key} ${site} ${offset} ${at.cut.pieces}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    lasts.set(kind, at);
    return isPowerOfGrowth(count);
  });
  return [...new Set([...taken, ...lasts.values()])];
}

/** At most so many of the items, in their order; the same ones for the same seed. */
function sample<T>(items: readonly T[], most: number, seed: number): readonly T[] {
  if (items.length <= most) return items;
  const random = seedRandom(seed);
  return Array.from({ length: most }, (_, at) => {
    const [from, to] = [at, at + 1].map((edge) => Math.floor((edge * items.length) / most));
    return items[from! + below(random, Math.max(1, to! - from!))]!;
  });
}

/** States of one kind: one for each of these. Counting them is cheaper than making them, and planning only counts. */
interface Group {
  readonly kind: StateKind;
  readonly count: number;
  items(): readonly CutLine[];
}

const made = (kind: StateKind, items: readonly CutLine[]): Group => ({ kind, count: items.length, items: () => items });
const once = <T>(make: () => T): (() => T) => {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: make() };
    return known.value;
  };
};

/** Lines in the order in which a thread flushed them, with what the flushes cover. */
const flushedBy = (lines: PmLines, thread: number): readonly CutLine[] =>
  [...lines.asked(thread)].flatMap(({ key, covers }) => {
    const line = lines.get(key)!;
    const kept = Math.min(covers - line.durable, line.pending.length);
    return kept > 0 ? [{ line, cut: { kept, pieces: 0 } }] : [];
  });

/** A point's states in groups, and how many there are. */
interface PlannedStates {
  readonly groups: readonly Group[];
  /** Of the thread whose event the crash comes before: lines in the order of their flushes, and what these cover. */
  readonly flushed: readonly CutLine[];
  /** States that a sample was taken instead of. */
  readonly leftOut: number;
}

const noStates: PlannedStates = { groups: [], flushed: [], leftOut: 0 };

/**
 * The crash states of one point, each made when it is asked for; before that not even their number is worked out, since most
 * points are passed by after a look at their open lines.
 */
export class PointStates {
  /** Lines that its states cut; what all others hold is certain. */
  readonly open: readonly TrackedLine[];
  readonly #planned: () => PlannedStates;
  readonly #allLost = once(() => this.open.map((line): CutLine => ({ line, cut: nothingKept })));

  /** `thread` is the one that acts next; the position tells samples of different points apart. Good while the lines stay as they are. */
  constructor(lines: PmLines, { thread, seq, repeated }: Pick<FailurePoint, "thread" | "seq" | "repeated">) {
    this.open = lines.open;
    const isTwo = this.open.length === 0 || lines.isOrdered;
    const limits = repeated ? most.repeated : most.first;
    this.#planned = once(() => (isTwo ? noStates : this.#plan(flushedBy(lines, thread), seq, limits)));
  }

  get count(): number {
    return this.#planned().groups.reduce((sum, { count }) => sum + count, this.open.length === 0 ? 1 : 2);
  }
  /** States that a sample was taken instead of. */
  get leftOut(): number {
    return this.#planned().leftOut;
  }

  #plan(flushed: readonly CutLine[], seed: number, limits: Limits): PlannedStates {
    const open = this.open;
    const lines = sample(open, limits.lines, seed);
    const lost = once(() => lines.map((line): CutLine => ({ line, cut: nothingKept })));
    // With two lines, one lost is the other one kept.
    const whole: readonly StateKind[] =
      open.length === 1 ? [] : open.length === 2 ? ["line-lost"] : ["line-lost", "line-kept"];
    const { cuts, count, leftOut } = this.#innerCuts(seed, limits);
    const around: readonly StateKind[] = open.length === 1 ? ["cut-kept"] : ["cut-kept", "cut-lost"];
    // The first of them alone, and all but the last of all open lines, are there already.
    const order = flushed.slice(1, flushed.length === open.length ? -1 : undefined);
    const groups = [
      ...whole.map((kind): Group => ({ kind, count: lines.length, items: lost })),
      ...around.map((kind): Group => ({ kind, count, items: cuts })),
      made("flushed", sample(order, limits.lines, seed)),
    ];
    return { groups, flushed, leftOut: whole.length * (open.length - lines.length) + around.length * leftOut };
  }

  #innerCuts(seed: number, limits: Limits) {
    const all = this.open.reduce((sum, line) => sum + countInnerCuts(line), 0);
    const make = (lines: readonly TrackedLine[]): readonly CutLine[] =>
      lines.flatMap((line) => [...innerCuts(line)].map((cut): CutLine => ({ line, cut })));
    const makeAll = () => {
      const cuts = make(this.open);
      assert(cuts.length === all, "cuts are counted as they are made");
      return cuts;
    };
    if (all <= limits.cuts) return { cuts: once(makeAll), count: all, leftOut: 0 };
    // Of very many lines most would be left out, and are not looked at.
    const cuts = sample(unalike(make(sample(this.open, limits.cuts, seed))), limits.cuts, seed);
    return { cuts: () => cuts, count: cuts.length, leftOut: all - cuts.length };
  }

  at(index: number): CrashState {
    if (index === 0) return new CrashState("prefix", nothingLost, []);
    if (index === 1) return new CrashState("durable", this.#allLost(), []);
    let from = 2;
    const group = this.#planned().groups.find(({ count }) => {
      if (index < from + count) return true;
      from += count;
      return false;
    });
    assert(group !== undefined, "a point's states are numbered from 0 to their count");
    return this.#state(group.kind, group.items()[index - from]!);
  }

  #state(kind: StateKind, at: CutLine): CrashState {
    if (kind === "line-lost" || kind === "cut-kept") return new CrashState(kind, nothingLost, [at]);
    return new CrashState(kind, this.#allLost(), this.#namedIn(kind, at));
  }

  /** Where all other lines are lost. */
  #namedIn(kind: StateKind, at: CutLine): readonly CutLine[] {
    if (kind === "line-kept") return [{ line: at.line, cut: allKept(at.line) }];
    const { flushed } = this.#planned();
    return kind === "flushed" ? flushed.slice(0, flushed.indexOf(at) + 1) : [at];
  }
}

/** What every line that was stored to holds after the crash. */
export function* contentsOf(
  lines: Pick<PmLines, "tracked">,
  cuts: readonly CutLine[],
): Iterable<{ readonly file: number; readonly index: number; readonly bytes: Uint8Array }> {
  const cutOf = new Map(cuts.map(({ line, cut }) => [line.key, cut]));
  for (const line of lines.tracked) {
    const cut = cutOf.get(line.key);
    yield {
      file: line.file,
      index: line.index,
      bytes: cut === undefined ? fullContents(line) : contentsAt(line, cut),
    };
  }
}
