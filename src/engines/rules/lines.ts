/**
 * What is known about each line that holds something not yet persisted: entries of words in the shared memory. Always:
 * - Positions are sequence numbers plus one; 0 is "never".
 * - A line is live from a store until all its stores are persisted and no thread has a flush of it pending: then its
 *   entry is reused. Memory follows the live lines, not the length of the trace.
 * - persisted ≤ flushed ≤ last: a store is dirty above `flushed`, pending above `persisted` (docs/MODEL.md, PM-17).
 */
import type { Core } from "./core/index.ts";
import { blockBytes, cell, type TrackerMemory, table, wordAt } from "./memory.ts";

/**
 * The words of an entry; the first is the line. They are plain numbers, each a name of its own: the bundler writes those
 * into the code that uses them. `atLast`: the position of the line's newest store.
 */
export const atLast = 1;
export const atFlushed = 2;
export const atPersisted = 3;
/** Pending flushes that refer to this entry. */
export const atReferences = 4;
/** What made `flushed` so: see `means`. */
export const atMeans = 5;
export const atFlushSite = 6;
export const atFlushStack = 7;
export const atFlushThread = 8;
export const atFlushPosition = 9;
/** Where the flushing thread's list of pending flushes names this entry. */
export const atPending = 10;
/** The site of the line's dirty stores, one of them if all are of code that copies, or `severalSites`. */
export const atDirtySite = 11;
export const severalSites = 0xffff_ffff;

/** How a line was last flushed. */
export const means = { nothing: 0, flush: 1, nonTemporal: 2, annotation: 3 } as const;

/** Eight slots of eight bytes follow, each with its newest store; a slot's first word is that store's position. */
export const slotStart = 12;
export const slotWords = 6;
export const slotSite = 1;
export const slotStack = 2;
export const slotMeta = 3;
export const slotLow = 4;
export const slotHigh = 5;
export const slotsPerLine = 8;
/** An entry is a block and known by its number. */
export const entryShift = 8;
/** An entry's first word; entry 0 stands for "none". */
export const entryAt = (entry: number): number => entry * (blockBytes / 4);

export const linesPerPage = 64;

export class LineTable {
  readonly #memory: TrackerMemory;
  readonly #core: Core;

  constructor(memory: TrackerMemory, core: Core) {
    this.#memory = memory;
    this.#core = core;
  }

  /** The memory's words; entries are among them. */
  get words(): Uint32Array {
    return this.#memory.words;
  }

  get live(): number {
    return this.words[wordAt(cell.live)]!;
  }

  /** The line's entry, 0 for none. */
  find(line: number): number {
    const { words } = this.#memory;
    return words[wordAt(words[wordAt(table.pages) + (line >>> 6)]!) + (line & 63)]!;
  }

  /** The line's entry, a new one if it has none, for the store at a position. The memory may grow. */
  obtain(line: number, position: number): number {
    return this.find(line) || this.#core.add(line, position);
  }

  release(entry: number): void {
    this.#core.release(entry);
  }

  noteFlush(line: number): void {
    this.#memory.bytes[table.everFlushed + (line >>> 3)]! |= 1 << (line & 7);
  }

  wasFlushed(line: number): boolean {
    return (this.#memory.bytes[table.everFlushed + (line >>> 3)]! & (1 << (line & 7))) !== 0;
  }

  wasStored(line: number): boolean {
    return (this.#memory.bytes[table.everStored + (line >>> 3)]! & (1 << (line & 7))) !== 0;
  }

  /** Live entries whose lines touch [start, end), in order of address. */
  *within(start: number, end: number): Iterable<number> {
    const last = Math.ceil(end / 64);
    const afterPage = Math.min(Math.ceil(last / linesPerPage), this.words[wordAt(cell.afterPages)]!);
    for (let page = this.#nextPage(start >>> 12, afterPage); page < afterPage; ) {
      const afterLine = Math.min((page + 1) * linesPerPage, last);
      for (let line = Math.max(page * linesPerPage, start >>> 6); line < afterLine; line++) {
        const entry = this.find(line);
        if (entry !== 0) yield entry;
      }
      page = this.#nextPage(page + 1, afterPage);
    }
  }

  /** The first page from one on that ever held an entry, or `after`. */
  #nextPage(page: number, after: number): number {
    const { words } = this.#memory;
    const pages = wordAt(table.pages);
    let next = Math.max(page, words[wordAt(cell.firstPage)]!);
    while (next < after && words[pages + next] === 0) next++;
    return next;
  }
}
