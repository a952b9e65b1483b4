/**
 * The stores to each line, in order, by which failures are told: words in shared memory, since a run may have ten million of them and
 * few are ever looked at. Always: a store is the same here as the tracker told it.
 */
import type { PmStore } from "../../model/pmem/index.ts";
import { WordLog } from "./word-log.ts";

/** A store to one of the lines. */
export interface LineStore {
  readonly store: PmStore;
  /** It left every byte as it was. */
  readonly silent: boolean;
}

/** Plain data: goes to other threads as it is. */
export interface StoreTable {
  /** By line: its first store. One more at the end. */
  readonly starts: Int32Array;
  readonly words: Int32Array;
}

/** Event, thread, site, stack, both halves of the value, and the rest: offset, size, further piece, silent. */
const storeWords = 7;
const sizeShift = 8;
const furtherBit = 1 << 16;
const silentBit = 1 << 17;

const shared = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * length));

/** Stores as they come. */
export class StoreRecorder {
  /** Of each: its line, and what is kept of it. */
  readonly #log = new WordLog();
  #count = 0;

  add(line: number, { seq, thread, site, stack, low, high, offset, size, further }: PmStore, silent: boolean): void {
    const log = this.#log;
    log.push(line);
    log.push(seq);
    log.push(thread);
    log.push(site);
    log.push(stack);
    log.push(low);
    log.push(high);
    log.push(offset | (size << sizeShift) | (further ? furtherBit : 0) | (silent ? silentBit : 0));
    this.#count++;
  }

  /** Those of one line together. */
  table(lines: number): StoreTable {
    const starts = shared(lines + 1);
    const owners = this.#log.reader();
    for (let store = 0; store < this.#count; store++, owners.skip(storeWords)) starts[owners.next() + 1]!++;
    for (let line = 0; line < lines; line++) starts[line + 1]! += starts[line]!;
    const next = starts.slice();
    const from = this.#log.drain();
    const words = shared(storeWords * this.#count);
    for (let store = 0; store < this.#count; store++) {
      const to = storeWords * next[from.next()]!++;
      for (let word = 0; word < storeWords; word++) words[to + word] = from.next();
    }
    return { starts, words };
  }
}

export class StoresByLine {
  readonly table: StoreTable;

  constructor(table: StoreTable) {
    this.table = table;
  }

  get lines(): number {
    return this.table.starts.length - 1;
  }

  count(line: number): number {
    return this.table.starts[line + 1]! - this.table.starts[line]!;
  }

  /** The event of one of the line's stores, which are numbered from 0 on; undefined where there is none. */
  seq(line: number, index: number): number | undefined {
    if (index < 0 || index >= this.count(line)) return undefined;
    return this.table.words[storeWords * (this.table.starts[line]! + index)]! >>> 0;
  }

  /** How many of the line's stores come before an event. */
  before(line: number, seq: number): number {
    let [low, high] = [0, this.count(line)];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.seq(line, middle)! < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  at(line: number, index: number): LineStore {
    const { starts, words } = this.table;
    const at = storeWords * (starts[line]! + index);
    const rest = words[at + 6]!;
    const store = {
      seq: words[at]! >>> 0,
      thread: words[at + 1]!,
      site: words[at + 2]! >>> 0,
      stack: words[at + 3]! >>> 0,
      offset: rest & ((1 << sizeShift) - 1),
      size: (rest >>> sizeShift) & 0xff,
      low: words[at + 4]!,
      high: words[at + 5]!,
      further: (rest & furtherBit) !== 0,
    };
    return { store, silent: (rest & silentBit) !== 0 };
  }

  /** Some of a line's stores, or all of them. */
  *of(line: number, from = 0, to = this.count(line)): Iterable<LineStore> {
    for (let index = from; index < Math.min(to, this.count(line)); index++) yield this.at(line, index);
  }
}
