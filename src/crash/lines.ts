/**
 * Lines of persistent files between what is surely persisted and all that was stored (docs/MODEL.md §2, formulation M4
 * with stores visible at once, which is how the machine runs them). Always:
 * - A line holds its persisted contents and the stores after them, oldest first. A crash keeps a prefix of these stores.
 * - clflush persists at once; clflushopt, clwb and a non-temporal store when their own thread fences; msync at once.
 * - Work per event follows the lines it touches. A line that was ever stored to stays known: the file's own pages may
 *   show stores that a crash loses.
 */
import { assert } from "../base/index.ts";

export const lineBytes = 64;

export interface PmStore {
  readonly seq: number;
  readonly thread: number;
  readonly site: number;
  readonly stack: number;
  /** Within its line. */
  readonly offset: number;
  readonly size: number;
  /** Of its value, 32 bits each. */
  readonly low: number;
  readonly high: number;
}

export const storedValue = ({ low, high }: PmStore): bigint => (BigInt(high) << 32n) | BigInt(low);

/** A line's number: the file's number and the line's index in the file. */
export type LineKey = number;
const linesPerFile = 2 ** 40;
export const lineKey = (file: number, index: number): LineKey => file * linesPerFile + index;

export const placeOfLine = (key: LineKey): { readonly file: number; readonly index: number } => ({
  file: Math.floor(key / linesPerFile),
  index: key % linesPerFile,
});

export interface TrackedLine {
  readonly key: LineKey;
  readonly file: number;
  readonly index: number;
  readonly persisted: Uint8Array;
  /** Stores that are part of `persisted`. */
  readonly folded: number;
  /** Stores that a crash may lose. */
  readonly pending: readonly PmStore[];
}

interface OwnLine extends TrackedLine {
  readonly pending: PmStore[];
  folded: number;
}

export function applyStore(contents: Uint8Array, { offset, size, low, high }: PmStore): void {
  for (let i = 0; i < size; i++) contents[offset + i] = i < 4 ? low >>> (8 * i) : high >>> (8 * (i - 4));
}

/** The line with all its stores. */
export function fullContents({ persisted, pending }: TrackedLine): Uint8Array {
  const contents = persisted.slice();
  for (const store of pending) applyStore(contents, store);
  return contents;
}

/** The file's contents where no store of ours is known: 64 bytes. */
export type ReadBase = (file: number, index: number) => Uint8Array;

export class PmLines {
  readonly #readBase: ReadBase;
  readonly #lines = new Map<LineKey, OwnLine>();
  readonly #open = new Map<LineKey, OwnLine>();
  /** Flushes that wait for their thread's fence: how many of the line's stores they cover. */
  readonly #asked = new Map<number, Map<LineKey, number>>();
  readonly #changed = new Map<LineKey, OwnLine>();

  constructor(readBase: ReadBase) {
    this.#readBase = readBase;
  }

  /** Every line that was stored to. */
  get tracked(): Iterable<TrackedLine> {
    return this.#lines.values();
  }

  /** Lines with stores that a crash may lose, by the age of the oldest of them. */
  get open(): readonly TrackedLine[] {
    return [...this.#open.values()];
  }

  /** Lines that were stored to since this was last asked. */
  takeChanged(): readonly TrackedLine[] {
    const changed = [...this.#changed.values()];
    this.#changed.clear();
    return changed;
  }

  /** A line with all its stores; undefined when there were none. */
  contents(key: LineKey): Uint8Array | undefined {
    const line = this.#lines.get(key);
    return line && fullContents(line);
  }

  store(file: number, index: number, store: PmStore): void {
    assert(store.offset + store.size <= lineBytes, "a store's record stays within a line");
    const line = this.#lines.get(lineKey(file, index)) ?? this.#track(file, index);
    line.pending.push(store);
    this.#open.set(line.key, line);
    this.#changed.set(line.key, line);
  }

  /** A flush that its thread's next fence completes. */
  ask(key: LineKey, thread: number): void {
    const line = this.#open.get(key);
    if (line === undefined) return;
    const asked = this.#asked.get(thread) ?? new Map<LineKey, number>();
    this.#asked.set(thread, asked.set(key, line.folded + line.pending.length));
  }

  fence(thread: number): void {
    const asked = this.#asked.get(thread);
    if (asked === undefined) return;
    this.#asked.delete(thread);
    for (const [key, bound] of asked) this.#persist(key, bound);
  }

  /** All stores to the line are persisted from here on. */
  persistNow(key: LineKey): void {
    this.#persist(key, Number.POSITIVE_INFINITY);
  }

  persistRange(file: number, from: number, to: number): void {
    const first = lineKey(file, Math.floor(from / lineBytes));
    const last = lineKey(file, Math.ceil(to / lineBytes));
    for (const { key } of this.open) if (key >= first && key < last) this.persistNow(key);
  }

  /**
   * A file is mapped anew after nothing showed it: where its contents are not what our stores left, file calls changed
   * them, and what file calls wrote counts as persisted.
   */
  reread(file: number): void {
    for (const line of this.#lines.values()) {
      if (line.file !== file) continue;
      const now = this.#readBase(file, line.index);
      const full = fullContents(line);
      if (now.every((byte, at) => byte === full[at])) continue;
      this.#fold(line, line.pending.length);
      line.persisted.set(now);
      this.#changed.set(line.key, line);
    }
  }

  #track(file: number, index: number): OwnLine {
    const key = lineKey(file, index);
    const persisted = this.#readBase(file, index);
    const line = { key, file, index, persisted, pending: [], folded: 0 };
    this.#lines.set(key, line);
    return line;
  }

  #persist(key: LineKey, bound: number): void {
    const line = this.#open.get(key);
    if (line === undefined) return;
    this.#fold(line, Math.min(bound - line.folded, line.pending.length));
  }

  #fold(line: OwnLine, count: number): void {
    if (count <= 0) return;
    for (const store of line.pending.splice(0, count)) applyStore(line.persisted, store);
    line.folded += count;
    if (line.pending.length === 0) this.#open.delete(line.key);
  }
}
