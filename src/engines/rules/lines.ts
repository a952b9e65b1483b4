/**
 * What is known about each line that holds something not yet persisted, in typed arrays. Always:
 * - Positions are sequence numbers plus one; 0 is "never".
 * - A line is live from a store until all its stores are persisted and no thread has a flush of it pending: then its
 *   entry is reused. Memory follows the live lines, not the length of the trace.
 * - persisted ≤ flushed ≤ last: a store is dirty above `flushed`, pending above `persisted` (docs/MODEL.md, PM-4).
 */

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
/** The site of the line's dirty stores, or `severalSites`. */
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
export const entryWords = 64;
/** An entry's first word. */
export const entryAt = (entry: number): number => entry * entryWords;

const linesPerPage = 64;
const pageCount = 1 << 20;
const lineCount = pageCount * linesPerPage;

export class LineTable {
  /** Entries; entry 0 stays empty and stands for "none". */
  words = new Uint32Array(entryWords * 64);
  /** Per page of memory where its entry numbers begin in `entries`; 0 for a page without. */
  readonly pages = new Int32Array(pageCount);
  /** Entry numbers by line; the first 64 stay 0. */
  entries = new Int32Array(linesPerPage * 64);
  readonly #everFlushed = new Uint8Array(lineCount / 8);
  readonly #everStored = new Uint8Array(lineCount / 8);
  #entryCount = 1;
  #pageUsed = linesPerPage;
  #free = new Int32Array(64);
  #freeCount = 0;
  #live = 0;

  get live(): number {
    return this.#live;
  }

  find(line: number): number {
    return this.entries[this.pages[line >>> 6]! + (line & 63)]!;
  }

  /** A new entry for a line that has none, before the store at a position. May replace the arrays. */
  add(line: number, position: number): number {
    if (this.pages[line >>> 6] === 0) this.#addPage(line >>> 6);
    const entry = this.#freeCount > 0 ? this.#free[--this.#freeCount]! : this.#addEntry();
    this.#reset(entryAt(entry), line, position - 1);
    this.entries[this.pages[line >>> 6]! + (line & 63)] = entry;
    this.#everStored[line >>> 3]! |= 1 << (line & 7);
    this.#live++;
    return entry;
  }

  /** Nothing counts that is not above `persisted`: what the entry held before may stay. */
  #reset(at: number, line: number, before: number): void {
    const { words } = this;
    words[at] = line;
    words[at + atLast] = before;
    words[at + atFlushed] = before;
    words[at + atPersisted] = before;
    words[at + atReferences] = 0;
  }

  release(entry: number): void {
    const line = this.words[entryAt(entry)]!;
    this.entries[this.pages[line >>> 6]! + (line & 63)] = 0;
    this.#free[this.#freeCount++] = entry;
    this.#live--;
  }

  noteFlush(line: number): void {
    this.#everFlushed[line >>> 3]! |= 1 << (line & 7);
  }

  wasFlushed(line: number): boolean {
    return (this.#everFlushed[line >>> 3]! & (1 << (line & 7))) !== 0;
  }

  wasStored(line: number): boolean {
    return (this.#everStored[line >>> 3]! & (1 << (line & 7))) !== 0;
  }

  /** Live entries whose lines touch [start, end), in order of address. */
  *within(start: number, end: number): Iterable<number> {
    const last = Math.ceil(end / 64);
    for (let line = start >>> 6; line < last; ) {
      if (this.pages[line >>> 6] === 0) {
        line = ((line >>> 6) + 1) * linesPerPage;
        continue;
      }
      const entry = this.find(line++);
      if (entry !== 0) yield entry;
    }
  }

  #addPage(page: number): void {
    if (this.#pageUsed === this.entries.length) {
      const larger = new Int32Array(this.entries.length * 2);
      larger.set(this.entries);
      this.entries = larger;
    }
    this.pages[page] = this.#pageUsed;
    this.#pageUsed += linesPerPage;
  }

  #addEntry(): number {
    if (entryAt(this.#entryCount + 1) > this.words.length) {
      const larger = new Uint32Array(this.words.length * 2);
      larger.set(this.words);
      this.words = larger;
      // Room for every entry, so that releasing one never needs any.
      const free = new Int32Array(larger.length / entryWords);
      free.set(this.#free);
      this.#free = free;
    }
    return this.#entryCount++;
  }
}
