/**
 * What is known about each line that holds something not yet persisted, in typed arrays. Always:
 * - Positions are sequence numbers plus one; 0 is "never".
 * - A line is live from a store until all its stores are persisted and no thread has a flush of it pending: then its
 *   entry is reused. Memory follows the live lines, not the length of the trace.
 * - persisted ≤ flushed ≤ last: a store is dirty above `flushed`, pending above `persisted` (docs/MODEL.md, PM-4).
 */
export const field = {
  line: 0,
  /** Position of the line's newest store. */
  last: 1,
  flushed: 2,
  persisted: 3,
  /** Pending flushes that refer to this entry. */
  references: 4,
  /** What made `flushed` so: see `means`. */
  means: 5,
  flushSite: 6,
  flushStack: 7,
  flushThread: 8,
  flushPosition: 9,
  /** Where the flushing thread's list of pending flushes names this entry. */
  pendingAt: 10,
  /** The site of the line's dirty stores, or `severalSites`. */
  dirtySite: 11,
} as const;
export const severalSites = 0xffff_ffff;

/** How a line was last flushed. */
export const means = { nothing: 0, flush: 1, nonTemporal: 2, annotation: 3 } as const;

/** Eight slots of eight bytes follow, each with its newest store. */
export const slotStart = 12;
export const slotWords = 6;
export const slotField = { position: 0, site: 1, stack: 2, meta: 3, low: 4, high: 5 } as const;
export const slotsPerLine = 8;
const entryShift = 6;
export const entryWords = 1 << entryShift;
/** An entry's first word. */
export const entryAt = (entry: number): number => entry << entryShift;

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

  /** The line's entry, new if need be. May replace the arrays. */
  ensure(line: number): number {
    const known = this.find(line);
    if (known !== 0) return known;
    if (this.pages[line >>> 6] === 0) this.#addPage(line >>> 6);
    const entry = this.#freeCount > 0 ? this.#free[--this.#freeCount]! : this.#addEntry();
    this.#reset(entryAt(entry), line);
    this.entries[this.pages[line >>> 6]! + (line & 63)] = entry;
    this.#everStored[line >>> 3]! |= 1 << (line & 7);
    this.#live++;
    return entry;
  }

  /** A slot counts only from its position, and a flush from `flushed`, so the rest may stay as it was. */
  #reset(at: number, line: number): void {
    const { words } = this;
    words[at] = line;
    words[at + field.last] = 0;
    words[at + field.flushed] = 0;
    words[at + field.persisted] = 0;
    words[at + field.references] = 0;
    for (let slot = 0; slot < slotsPerLine; slot++) words[at + slotStart + slot * slotWords] = 0;
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
