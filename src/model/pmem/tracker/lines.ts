/**
 * Lines of persistent files between what is surely persisted and all that was stored: what a crash may leave, kept up to
 * date event by event (docs/MODEL.md §2, formulation M4 with stores visible at once, which is how the machine runs them).
 * Always:
 * - A line holds its persisted contents and the stores after them, oldest first. A crash keeps a prefix of these stores and,
 *   of the first that it does not keep whole, any of its pieces (cuts.ts). Lines are independent.
 * - A flush covers the stores before it. clflush persists them at once; clflushopt, clwb and a non-temporal store when their
 *   own thread fences or makes a locked operation; msync at once.
 * - eadr: a store persists at once. (The model lets a non-temporal one be late unless another thread saw it, which a trace
 *   does not tell.) strict: what is persisted persists everything older, in any line; a crash keeps a prefix of `inOrder`.
 * - Work per event follows the lines it touches. A line that was ever stored to stays known: the file's own pages may
 *   show stores that a crash loses.
 */
import { assert } from "../../../base/index.ts";
import type { Platform } from "../model.ts";
import { AwaitedFlushes } from "./awaited-flushes.ts";
import { type LineKey, lineBytes, lineKey } from "./places.ts";

export interface PmStore {
  readonly seq: number;
  readonly thread: number;
  readonly site: number;
  readonly stack: number;
  /** Within its line. */
  readonly offset: number;
  readonly size: number;
  /** Of its value, 32 bits each, with sign: V8 keeps whole numbers beyond 31 bits in objects of their own. */
  readonly low: number;
  readonly high: number;
  /** The event before it is an earlier piece of the same store, maybe in another line. */
  readonly further: boolean;
}

export const storedValue = ({ low, high }: Pick<PmStore, "low" | "high">): bigint =>
  (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);

export interface TrackedLine {
  readonly key: LineKey;
  readonly file: number;
  readonly index: number;
  readonly persisted: Uint8Array;
  /** How many stores are part of `persisted`, and those stores if they are kept. */
  readonly durable: number;
  readonly settled: readonly PmStore[];
  /** How often file calls changed it. */
  readonly written: number;
  /** Stores that a crash may lose. */
  readonly pending: readonly PmStore[];
}

interface OwnLine extends TrackedLine {
  durable: number;
  written: number;
  /** Since changes were last asked for, and since what rose was. */
  changed: boolean;
  risen: boolean;
  readonly settled: PmStore[];
  readonly pending: PmStore[];
}

/** A flush that waits for its thread's fence: so many of the line's stores, counted from the first, it covers. */
export interface AskedFlush {
  readonly key: LineKey;
  readonly covers: number;
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

/** The lines that bytes of a file lie in: the first, and the first behind them. */
const lineRange = (file: number, from: number, to: number): readonly [LineKey, LineKey] => [
  lineKey(file, Math.floor(from / lineBytes)),
  lineKey(file, Math.ceil(to / lineBytes)),
];

/** The file's contents where no store of ours is known: 64 bytes. */
export type ReadBase = (file: number, index: number) => Uint8Array;

export interface LineOptions {
  readonly platform?: Platform;
  /** Keep the stores that are surely persisted, for who asks which store a byte is from. */
  readonly history?: boolean;
}

export class PmLines {
  readonly #readBase: ReadBase;
  readonly #platform: Platform;
  readonly #history: boolean;
  readonly #lines = new Map<LineKey, OwnLine>();
  readonly #open = new Map<LineKey, OwnLine>();
  readonly #asked = new Map<number, AwaitedFlushes<OwnLine>>();
  #changed: OwnLine[] = [];
  #risen: OwnLine[] = [];
  /** Stored to last: neighbouring stores are mostly to one line. */
  #latest: OwnLine | undefined;
  /** strict only: the line of each pending store, oldest first. */
  #queue: OwnLine[] = [];
  #queued = 0;

  constructor(readBase: ReadBase, { platform = "px86", history = false }: LineOptions = {}) {
    this.#readBase = readBase;
    this.#platform = platform;
    this.#history = history;
  }

  // ── What there is ───────────────────────────────────────────────────────────────────────────────────────────

  /** Every line that was stored to. */
  get tracked(): Iterable<TrackedLine> {
    return this.#lines.values();
  }

  /** Lines with stores that a crash may lose, by the age of the oldest of them. */
  get open(): readonly TrackedLine[] {
    return [...this.#open.values()];
  }

  /** How many these are. */
  get openCount(): number {
    return this.#open.size;
  }

  get(key: LineKey): TrackedLine | undefined {
    return this.#lines.get(key);
  }

  /** Whether a crash may lose stores of the line. */
  isOpen(key: LineKey): boolean {
    return this.#open.has(key);
  }

  isOpenWithin(file: number, from: number, to: number): boolean {
    const [first, end] = lineRange(file, from, to);
    return this.open.some(({ key }) => key >= first && key < end);
  }

  /** strict: lines are not independent, a crash keeps a prefix of `inOrder`. */
  get isOrdered(): boolean {
    return this.#platform === "strict";
  }

  /** Stores that a crash may lose, as they became visible; pieces too. */
  get inOrder(): readonly { readonly line: TrackedLine; readonly store: PmStore }[] {
    return [...this.#open.values()]
      .flatMap((line) => line.pending.map((store) => ({ line, store })))
      .sort((a, b) => a.store.seq - b.store.seq);
  }

  /** A thread's flushes that wait for its fence. */
  *asked(thread: number): Iterable<AskedFlush> {
    for (const [{ key }, covers] of this.#asked.get(thread)?.merged() ?? []) yield { key, covers };
  }

  /** Whether a fence of the thread would make more stores sure to survive. */
  wouldPersist(thread: number): boolean {
    return this.#asked.get(thread)?.some((line, covers) => covers > line.durable) ?? false;
  }

  /** Lines that were stored to since this was last asked. */
  takeChanged(): readonly TrackedLine[] {
    const changed = this.#changed;
    for (const line of changed) line.changed = false;
    this.#changed = [];
    return changed;
  }

  #change(line: OwnLine): void {
    if (line.changed) return;
    line.changed = true;
    this.#changed.push(line);
  }

  /** Lines of which more stores are sure to survive than when this was last asked. */
  takeRisen(): readonly TrackedLine[] {
    const risen = this.#risen;
    for (const line of risen) line.risen = false;
    this.#risen = [];
    return risen;
  }

  /** A line with all its stores; undefined when there were none. */
  contents(key: LineKey): Uint8Array | undefined {
    const line = this.#lines.get(key);
    return line && fullContents(line);
  }

  // ── What happens ────────────────────────────────────────────────────────────────────────────────────────────

  /** A fence of its thread makes a non-temporal store persist, with no flush needed: PM-28. */
  store(file: number, index: number, store: PmStore, how: "plain" | "non-temporal" = "plain"): void {
    assert(store.offset + store.size <= lineBytes, "a store's record stays within a line");
    const line = this.#lineAt(file, index);
    if (line.pending.push(store) === 1) this.#open.set(line.key, line);
    this.#change(line);
    if (this.#platform === "strict") this.#queue.push(line);
    if (this.#platform === "eadr") this.#fold(line, line.pending.length);
    else if (how === "non-temporal") this.ask(line.key, store.thread);
  }

  /** clflushopt, clwb: a flush that its thread's next fence completes. */
  ask(key: LineKey, thread: number): void {
    const line = this.#latest?.key === key ? this.#latest : this.#open.get(key);
    if (line === undefined || line.pending.length === 0) return;
    let asked = this.#asked.get(thread);
    if (asked === undefined) {
      asked = new AwaitedFlushes();
      this.#asked.set(thread, asked);
    }
    asked.add(line, line.durable + line.pending.length);
  }

  /** A fence or a locked operation: PM-18 to PM-21. */
  fence(thread: number): void {
    this.#asked.get(thread)?.drain((line, covers) => this.#persist(line, covers));
  }

  /** clflush, msync: all stores to the line are persisted from here on (PM-12). */
  persistNow(key: LineKey): void {
    const line = this.#open.get(key);
    if (line !== undefined) this.#persist(line, Number.POSITIVE_INFINITY);
  }

  persistRange(file: number, from: number, to: number): void {
    const [first, end] = lineRange(file, from, to);
    for (const { key } of this.open) if (key >= first && key < end) this.persistNow(key);
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
      if (!now.every((byte, at) => byte === full[at])) this.#overwrite(line, 0, now);
    }
  }

  /**
   * A file call left these bytes, or so many zeros, in a file. They are persisted, and with them what was stored to their
   * lines before: a line's stores persist in order.
   */
  write(file: number, offset: number, written: Uint8Array | number): void {
    const length = typeof written === "number" ? written : written.length;
    for (const line of this.#touched(file, offset, offset + length)) {
      const start = line.index * lineBytes;
      const [from, to] = [Math.max(offset, start), Math.min(offset + length, start + lineBytes)];
      const bytes =
        typeof written === "number" ? new Uint8Array(to - from) : written.subarray(from - offset, to - offset);
      this.#overwrite(line, from - start, bytes);
    }
  }

  /** Known lines that bytes of a file lie in; work follows the fewer of lines and known lines. */
  *#touched(file: number, from: number, to: number): Iterable<OwnLine> {
    const [first, end] = lineRange(file, from, to);
    if (end - first > this.#lines.size) {
      for (const line of this.#lines.values()) if (line.key >= first && line.key < end) yield line;
      return;
    }
    for (let key = first; key < end; key++) {
      const line = this.#lines.get(key as LineKey);
      if (line !== undefined) yield line;
    }
  }

  #overwrite(line: OwnLine, at: number, bytes: Uint8Array): void {
    this.#persist(line, Number.POSITIVE_INFINITY);
    line.persisted.set(bytes, at);
    line.written++;
    this.#change(line);
  }

  #lineAt(file: number, index: number): OwnLine {
    if (this.#latest?.index === index && this.#latest.file === file) return this.#latest;
    this.#latest = this.#lines.get(lineKey(file, index)) ?? this.#track(file, index);
    return this.#latest;
  }

  #track(file: number, index: number): OwnLine {
    const key = lineKey(file, index);
    const persisted = this.#readBase(file, index);
    const line = {
      key,
      file,
      index,
      persisted,
      durable: 0,
      written: 0,
      changed: false,
      risen: false,
      settled: [],
      pending: [],
    };
    this.#lines.set(key, line);
    return line;
  }

  #persist(line: OwnLine, covers: number): void {
    const count = Math.min(covers - line.durable, line.pending.length);
    if (count <= 0) return;
    if (this.#platform === "strict") this.#persistOlder(line.pending[count - 1]!.seq);
    else this.#fold(line, count);
  }

  /** strict: every store up to a position is persisted. */
  #persistOlder(seq: number): void {
    while (this.#queued < this.#queue.length && this.#queue[this.#queued]!.pending[0]!.seq <= seq)
      this.#fold(this.#queue[this.#queued++]!, 1);
    if (this.#queued < this.#queue.length / 2) return;
    this.#queue = this.#queue.slice(this.#queued);
    this.#queued = 0;
  }

  #fold(line: OwnLine, count: number): void {
    const { pending, persisted } = line;
    for (let at = 0; at < count; at++) applyStore(persisted, pending[at]!);
    if (this.#history) line.settled.push(...pending.slice(0, count));
    line.durable += count;
    if (!line.risen) this.#risen.push(line);
    line.risen = true;
    if (count < pending.length) pending.splice(0, count);
    else {
      pending.length = 0;
      this.#open.delete(line.key);
    }
  }
}
