/**
 * Crash states at a failure point, each legal by docs/MODEL.md §2: one cut for each line, between what is surely persisted and
 * all that was stored. Always:
 * - A point's states are numbered, and a number means the same state for everybody who has the trace.
 * - Lines are cut one at a time, with all others kept or all others lost, or in the order in which they were flushed.
 *   Mixtures of more are the explorer's.
 * - Above so many open lines or stores a seeded sample of the cuts is taken; `leftOut` counts the states that are not.
 */
import { below, seedRandom } from "../base/index.ts";
import {
  contentsAt,
  fullContents,
  type LineCut,
  nothingKept,
  type PmLines,
  piecesAt,
  type TrackedLine,
} from "../pmem/index.ts";
import type { FailurePoint } from "./points.ts";

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

export interface CrashState {
  readonly kind: StateKind;
  /** All lines that are not named keep every store. */
  readonly cuts: readonly CutLine[];
}

/** Lines and cuts that are taken at a point at most: all the ordinary ones, a few where the place was looked at before. */
const most = { first: { lines: 64, cuts: 512 }, repeated: { lines: 8, cuts: 16 } } as const;

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

/** At most so many of the items, in their order; the same ones for the same seed. */
function sample<T>(items: readonly T[], most: number, seed: number): readonly T[] {
  if (items.length <= most) return items;
  const random = seedRandom(seed);
  return Array.from({ length: most }, (_, at) => {
    const [from, to] = [at, at + 1].map((edge) => Math.floor((edge * items.length) / most));
    return items[from! + below(random, Math.max(1, to! - from!))]!;
  });
}

type Recipe = { readonly kind: StateKind; readonly at?: CutLine };

/** The crash states of one point, each made when it is asked for. */
export class PointStates {
  readonly #open: readonly TrackedLine[];
  readonly #recipes: Recipe[] = [{ kind: "prefix" }];
  /** Of the thread whose event the crash comes before: lines in the order of their flushes, and what these cover. */
  readonly #flushed: readonly CutLine[];
  /** States that a sample was taken instead of. */
  readonly leftOut: number;

  /** `thread` is the one that acts next; the position tells samples of different points apart. */
  constructor(lines: PmLines, { thread, seq, repeated }: Pick<FailurePoint, "thread" | "seq" | "repeated">) {
    this.#open = lines.open;
    this.#flushed = [...lines.asked(thread)].flatMap(({ key, covers }) => {
      const line = lines.get(key)!;
      const kept = Math.min(covers - line.durable, line.pending.length);
      return kept > 0 ? [{ line, cut: { kept, pieces: 0 } }] : [];
    });
    this.leftOut = this.#open.length === 0 ? 0 : this.#plan(seq, repeated ? most.repeated : most.first);
  }

  #plan(seed: number, limits: { readonly lines: number; readonly cuts: number }): number {
    const open = this.#open;
    this.#recipes.push({ kind: "durable" });
    const lines = sample(open, limits.lines, seed);
    // With two lines, one lost is the other one kept.
    const whole: readonly StateKind[] =
      open.length === 1 ? [] : open.length === 2 ? ["line-lost"] : ["line-lost", "line-kept"];
    for (const kind of whole) for (const line of lines) this.#recipes.push({ kind, at: { line, cut: nothingKept } });
    const inner = open.flatMap((line) => [...innerCuts(line)].map((cut): CutLine => ({ line, cut })));
    const cuts = sample(inner, limits.cuts, seed);
    const around: readonly StateKind[] = open.length === 1 ? ["cut-kept"] : ["cut-kept", "cut-lost"];
    for (const kind of around) for (const at of cuts) this.#recipes.push({ kind, at });
    // The first of them alone, and all but the last of all open lines, are there already.
    const order = this.#flushed.slice(1, this.#flushed.length === open.length ? -1 : undefined);
    for (const at of sample(order, limits.lines, seed)) this.#recipes.push({ kind: "flushed", at });
    return whole.length * (open.length - lines.length) + around.length * (inner.length - cuts.length);
  }

  get count(): number {
    return this.#recipes.length;
  }

  at(index: number): CrashState {
    const { kind, at } = this.#recipes[index]!;
    return { kind, cuts: this.#cuts(kind, at) };
  }

  #cuts(kind: StateKind, at: CutLine | undefined): readonly CutLine[] {
    const lost = (lines: readonly TrackedLine[]) => lines.map((line): CutLine => ({ line, cut: nothingKept }));
    const others = () => this.#open.filter((line) => line !== at!.line);
    switch (kind) {
      case "prefix":
        return [];
      case "durable":
        return lost(this.#open);
      case "line-lost":
      case "cut-kept":
        return [at!];
      case "line-kept":
        return lost(others());
      case "cut-lost":
        return [at!, ...lost(others())];
      case "flushed": {
        const kept = this.#flushed.slice(0, this.#flushed.indexOf(at!) + 1);
        const cut = kept.filter(({ line, cut }) => cut.kept < line.pending.length);
        const known = new Set(kept.map(({ line }) => line));
        return [...cut, ...lost(this.#open.filter((line) => !known.has(line)))];
      }
    }
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
