/**
 * What lines of persistent memory may hold after a crash, as contents by number. Always:
 * - The contents of one line stand in the order of its cuts: what a crash may leave at a point is a range of them, from what
 *   is surely persisted to all that was stored. Equal bytes may come several times, once for each cut.
 * - Between the contents before and after a store of several pieces lie those with some of its pieces (docs/MODEL.md §2).
 * - Of a content, what it changes is kept (content-words.ts): as it comes, and in the end by line.
 */
import { assert } from "../../base/index.ts";
import { applyStore, type PmStore, type TrackedLine } from "../../model/pmem/index.ts";
import { ContentLog, type PackedContents } from "./content-log.ts";
import { headBits, wordsPerLine } from "./content-words.ts";
import { StoreRecorder } from "./stores-by-line.ts";

/** One line while the trace is walked. Numbers of contents are the line's own, from 0 on. */
export interface LineRecord {
  readonly line: number;
  stores: number;
  /** How often file calls had changed it. */
  written: number;
  contents: number;
  /** What a crash may leave, the first and the last of it; -1 before that was asked. */
  low: number;
  high: number;
  /** Cuts between stores that a crash may still leave: how many stores they keep, and the number of their contents, in turn. */
  readonly ends: number[];
}

/** The line at hand, as words and as bytes. */
class LineBuffer {
  readonly words = new Int32Array(wordsPerLine);
  readonly bytes = new Uint8Array(this.words.buffer);
}

export class ContentsRecorder {
  readonly #log = new ContentLog();
  #lines = 0;
  /** By line: with all stores so far. */
  #full = new Int32Array(64 * wordsPerLine);
  readonly #before = new LineBuffer();
  readonly #now = new LineBuffer();
  readonly stores = new StoreRecorder();

  /** Lines have the numbers from 0 on, one after another. */
  begin(base: Uint8Array): LineRecord {
    const record: LineRecord = { line: this.#lines++, stores: 0, written: 0, contents: 0, low: -1, high: -1, ends: [] };
    if (this.#lines * wordsPerLine > this.#full.length) {
      const larger = new Int32Array(2 * this.#full.length);
      larger.set(this.#full);
      this.#full = larger;
    }
    this.#before.words.fill(0);
    this.#now.bytes.set(base);
    this.#push(record, 0, headBits.first);
    return record;
  }

  /** Takes the line's stores since it was last looked at. */
  update(record: LineRecord, line: TrackedLine): void {
    this.#take(record);
    if (line.durable > record.stores || line.written !== record.written) this.#jump(record, line);
    for (let at = record.stores - line.durable; at < line.pending.length; ) at += this.#group(record, line, at);
    const { ends } = record;
    let over = 0;
    while (over + 2 < ends.length && ends[over + 2]! <= line.durable) over += 2;
    if (over > 0) ends.splice(0, over);
    assert(ends[0] === line.durable, "what is surely persisted ends between two stores of a line");
    record.low = ends[1]!;
    record.high = record.contents - 1;
  }

  /** What comes is compared with the line as it was. */
  #take({ line }: LineRecord): void {
    const from = line * wordsPerLine;
    for (let word = 0; word < wordsPerLine; word++)
      this.#before.words[word] = this.#now.words[word] = this.#full[from + word]!;
  }

  /** Contents that came about otherwise than by stores which a crash could lose. */
  #jump(record: LineRecord, line: TrackedLine): void {
    this.#now.bytes.set(line.persisted);
    record.stores = line.durable;
    record.written = line.written;
    record.ends.length = 0;
    this.#push(record, 0, 0);
  }

  /** The pieces of one store, or a store of one piece; returns how many they are. */
  #group(record: LineRecord, { pending }: TrackedLine, from: number): number {
    let end = from + 1;
    while (end < pending.length && pending[end]!.further && pending[end]!.seq === pending[end - 1]!.seq + 1) end++;
    const pieces = end - from;
    for (let mask = 1; mask < 2 ** pieces - 1; mask++) {
      for (let i = 0; i < pieces; i++) if ((mask >>> i) & 1) applyStore(this.#now.bytes, pending[from + i]!);
      this.#push(record, mask, headBits.torn);
    }
    for (let at = from; at < end; at++) this.#store(record, pending[at]!);
    record.stores += pieces;
    this.#push(record, 0, 0);
    return pieces;
  }

  #store({ line }: LineRecord, store: PmStore): void {
    const { bytes } = this.#now;
    const value = bytes.slice(store.offset, store.offset + store.size);
    applyStore(bytes, store);
    this.stores.add(
      line,
      store,
      value.every((byte, at) => byte === bytes[store.offset + at]),
    );
  }

  /** The line as it is now; behind it, `before` and `now` are what the next content begins with. */
  #push(record: LineRecord, mask: number, head: number): void {
    const isTorn = (head & headBits.torn) !== 0;
    if (!isTorn) record.ends.push(record.stores, record.contents);
    const [before, now] = [this.#before.words, this.#now.words];
    this.#log.add(record.line, record.stores, mask, head, before, now);
    if (isTorn) now.set(before);
    else {
      before.set(now);
      this.#full.set(now, record.line * wordsPerLine);
    }
    record.contents++;
  }

  packed(): PackedContents {
    return this.#log.packed(this.#lines);
  }
}
