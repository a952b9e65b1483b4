/**
 * The stores to each line, with what happens before them, and what a cut of the line says of where a crash under strict
 * persistency must have come: at or after what was kept, before what is missing (PSan, implications 4.1 to 4.3). Always:
 * - A store's clock is that of its first event, so that the pieces of a wide store share one. It counts up in each thread.
 * - Only what was read counts: which bytes recovery looked at is part of the question.
 */

import type { PlannedPoints, TracePoints } from "../../crash/recovery-tree/index.ts";
import type { PmStore } from "../../model/pmem/index.ts";
import { clockIn, type StoreClock } from "./clocks.ts";
import type { HappensBefore } from "./happens-before.ts";
import type { IsIgnored } from "./ignored.ts";

export interface MadeStore extends StoreClock {
  readonly line: number;
  readonly store: PmStore;
}

/** What one cut says, by thread: the crash came at or after `begins`, and before `ends`. */
export interface CutBounds {
  /** A content of the line that is so cut. */
  readonly content: number;
  readonly begins: readonly number[];
  readonly ends: readonly number[];
  /** The stores that recovery's bytes are from. */
  readonly kept: readonly MadeStore[];
  /** Of each byte, the first store of each thread that would have replaced it. */
  readonly missing: readonly MadeStore[];
}

/**
 * Positions lie between clocks: a store that is kept in part has begun, and what happens before it is done. So the pieces of one
 * store never contradict each other.
 */
const begun = ({ thread, clock }: MadeStore, at: MadeStore, of: number): number =>
  of === thread ? 2 * clock - 1 : 2 * clockIn(at, of);
export const keptAt = (store: MadeStore, of: number): number => begun(store, store, of);
export const missingAt = ({ clock }: MadeStore): number => 2 * clock;

const wordBytes = 4;
const wordsInLine = 16;

/** A line as recovery read it: some of its words. */
export class LineView {
  readonly #stores: LineStores;
  readonly #line: number;
  readonly #bytes: readonly number[];
  readonly #byContent = new Map<number, CutBounds>();
  readonly #byStores = new Map<string, CutBounds>();

  constructor(stores: LineStores, line: number, words: number) {
    this.#stores = stores;
    this.#line = line;
    const asked = Array.from({ length: wordsInLine }, (_, word) => word).filter((word) => (words >>> word) & 1);
    this.#bytes = asked.flatMap((word) => Array.from({ length: wordBytes }, (_, i) => wordBytes * word + i));
  }

  /** Equal for contents that recovery cannot tell apart by store. */
  bounds(content: number): CutBounds {
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    const { kept, missing } = this.#read(content);
    const key = `${[...kept]}/${[...missing]}`;
    const bounds = this.#byStores.get(key) ?? this.#boundsOf(content, [...kept], [...missing]);
    this.#byStores.set(key, bounds);
    this.#byContent.set(content, bounds);
    return bounds;
  }

  /** By their positions among the line's stores. */
  #read(content: number): { readonly kept: ReadonlySet<number>; readonly missing: ReadonlySet<number> } {
    const { cuts } = this.#stores.points.tables;
    const whole = cuts[2 * content]!;
    const pieces = cuts[2 * content + 1]!;
    const isKept = (index: number) => index < whole || (index - whole < 31 && ((pieces >>> (index - whole)) & 1) === 1);
    const kept = new Set<number>();
    const missing = new Set<number>();
    for (const byte of this.#bytes) {
      const indices = this.#stores.at(this.#line, byte);
      let next = firstFrom(indices, whole);
      let last = indices[next - 1];
      const seen = new Set<number>();
      for (const { threads } = this.#stores; next < indices.length && seen.size < threads; next++) {
        const index = indices[next]!;
        const { thread } = this.#stores.made(this.#line, index);
        if (isKept(index)) last = index;
        else if (!this.#stores.isIgnored(this.#line, index)) {
          if (!seen.has(thread)) missing.add(index);
          seen.add(thread);
        }
      }
      if (last !== undefined && !this.#stores.isIgnored(this.#line, last)) kept.add(last);
    }
    return { kept, missing };
  }

  #boundsOf(content: number, keptIndices: readonly number[], missingIndices: readonly number[]): CutBounds {
    const madeAt = (index: number) => this.#stores.made(this.#line, index);
    const kept = keptIndices.toSorted((a, b) => a - b).map(madeAt);
    const missing = missingIndices.toSorted((a, b) => a - b).map(madeAt);
    const threads = Array.from({ length: this.#stores.threads }, (_, thread) => thread);
    return {
      content,
      begins: threads.map((thread) => Math.max(0, ...kept.map((store) => keptAt(store, thread)))),
      ends: threads.map((thread) =>
        Math.min(Number.POSITIVE_INFINITY, ...missing.filter((store) => store.thread === thread).map(missingAt)),
      ),
      kept,
      missing,
    };
  }
}

/** The position of the first that is not less. */
function firstFrom(sorted: readonly number[], least: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle]! < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

export class LineStores {
  readonly points: TracePoints;
  readonly #stores: PlannedPoints["stores"];
  readonly #order: HappensBefore;
  readonly #ignored: IsIgnored;
  /** Threads that store anything, by the numbers that traces have for them. */
  readonly #threads = new Map<number, number>();
  /** Events that are further pieces of the store before them. */
  readonly #further = new Set<number>();
  readonly #made: (MadeStore | undefined)[][];
  /** By line and byte: the stores to it, in order. */
  readonly #bytes: (readonly (readonly number[])[] | undefined)[];
  readonly #views = new Map<number, LineView>();

  constructor({ points, stores }: PlannedPoints, order: HappensBefore, ignored: IsIgnored = () => false) {
    this.points = points;
    this.#ignored = ignored;
    this.#stores = stores;
    this.#order = order;
    const lines = Array.from({ length: stores.lines }, (_, line) => line);
    this.#made = lines.map(() => []);
    this.#bytes = lines.map(() => undefined);
    for (const line of lines)
      for (const { store } of stores.of(line)) {
        if (!this.#threads.has(store.thread)) this.#threads.set(store.thread, this.#threads.size);
        if (store.further) this.#further.add(store.seq);
      }
  }

  get threads(): number {
    return this.#threads.size;
  }

  /** Recovery read these words of the line; bit i is the i-th of them. */
  view(line: number, words: number): LineView {
    const key = line * 2 ** wordsInLine + words;
    const view = this.#views.get(key) ?? new LineView(this, line, words);
    this.#views.set(key, view);
    return view;
  }

  isIgnored(line: number, index: number): boolean {
    return this.#ignored(line, this.#stores.at(line, index).store);
  }

  made(line: number, index: number): MadeStore {
    const known = this.#made[line]![index];
    if (known !== undefined) return known;
    const { store } = this.#stores.at(line, index);
    let first = store.seq;
    while (this.#further.has(first)) first--;
    const clock = this.#order.clockOf(first);
    const others: number[] = [];
    this.#order.seen(store.thread, clock).forEach((until, thread) => {
      const own = this.#threads.get(thread);
      if (own !== undefined) others[own] = until;
    });
    const made = { line, store, thread: this.#threads.get(store.thread)!, clock, others };
    this.#made[line]![index] = made;
    return made;
  }

  at(line: number, byte: number): readonly number[] {
    this.#bytes[line] ??= this.#byBytes(line);
    return this.#bytes[line]![byte]!;
  }

  #byBytes(line: number): readonly (readonly number[])[] {
    const bytes: number[][] = Array.from({ length: wordBytes * wordsInLine }, () => []);
    for (const [index, { store }] of [...this.#stores.of(line)].entries())
      for (let at = store.offset; at < store.offset + store.size; at++) bytes[at]!.push(index);
    return bytes;
  }

  /** The crash came after an event, whatever was stored. */
  afterEvent(thread: number, seq: number): CutBounds {
    const own = this.#threads.get(thread);
    const begins = Array.from({ length: this.threads }, (_, at) => (at === own ? 2 * seq : 0));
    const ends = begins.map(() => Number.POSITIVE_INFINITY);
    return { content: -1, begins, ends, kept: [], missing: [] };
  }

  /** The event of the first store that the content lacks; undefined when it has all that ever were. */
  firstMissing(line: number, content: number): number | undefined {
    return this.#stores.seq(line, this.points.tables.cuts[2 * content]!);
  }

  /** The event of the last store that the content has, in part at least. */
  lastKept(line: number, content: number): number {
    const { cuts } = this.points.tables;
    const pieces = cuts[2 * content + 1]!;
    const last = cuts[2 * content]! - 1 + (pieces === 0 ? 0 : 32 - Math.clz32(pieces));
    return this.#stores.seq(line, last) ?? -1;
  }
}
