/**
 * What lines of persistent memory may hold after a crash, as contents by number. Always:
 * - The contents of one line stand in the order of its cuts: what a crash may leave at a point is a range of them, from what
 *   is surely persisted to all that was stored. Equal bytes may come several times, once for each cut.
 * - Between the contents before and after a store of several pieces lie those with some of its pieces (docs/MODEL.md §2).
 */
import { assert } from "../base/index.ts";
import { applyStore, lineBytes, type TrackedLine } from "../pmem/index.ts";
import { GrowingWords } from "./growing-words.ts";
import { StoreRecorder } from "./stores-by-line.ts";

export const wordsPerLine = lineBytes / 4;

/** One line while the trace is walked. Numbers of contents are the line's own, from 0 on. */
export interface LineRecord {
  readonly line: number;
  /** With all stores so far, of which there are so many. */
  readonly full: Uint8Array;
  stores: number;
  /** How often file calls had changed it. */
  written: number;
  contents: number;
  /** Cuts between stores that a crash may still leave: how many stores they keep, and the number of their contents. */
  readonly ends: { readonly stores: number; readonly content: number }[];
  lastSeq: number;
}

/** Of each content: its line, how many of the line's stores it keeps, which pieces of the next one, its bytes. */
export class ContentsRecorder {
  readonly lines = new GrowingWords();
  readonly kept = new GrowingWords();
  readonly pieces = new GrowingWords();
  readonly words = new GrowingWords();
  readonly stores = new StoreRecorder();

  begin(line: number, base: Uint8Array): LineRecord {
    const record = { line, full: base.slice(), stores: 0, written: 0, contents: 0, ends: [], lastSeq: -2 };
    this.#push(record, 0, record.full);
    return record;
  }

  /** Takes the line's stores since it was last looked at; returns what a crash may leave, the first and the last of it. */
  update(record: LineRecord, line: TrackedLine): { readonly low: number; readonly high: number } {
    if (line.durable > record.stores || line.written !== record.written) this.#jump(record, line);
    for (let at = record.stores - line.durable; at < line.pending.length; ) at += this.#group(record, line, at);
    const { ends } = record;
    while (ends.length > 1 && ends[1]!.stores <= line.durable) ends.shift();
    assert(ends[0]!.stores === line.durable, "what is surely persisted ends between two stores of a line");
    return { low: ends[0]!.content, high: record.contents - 1 };
  }

  /** Contents that came about otherwise than by stores which a crash could lose. */
  #jump(record: LineRecord, line: TrackedLine): void {
    record.full.set(line.persisted);
    record.stores = line.durable;
    record.written = line.written;
    record.ends.length = 0;
    this.#push(record, 0, record.full);
  }

  /** The pieces of one store, or a store of one piece; returns how many they are. */
  #group(record: LineRecord, { pending }: TrackedLine, from: number): number {
    let end = from + 1;
    while (end < pending.length && pending[end]!.further && pending[end]!.seq === pending[end - 1]!.seq + 1) end++;
    const pieces = pending.slice(from, end);
    for (let mask = 1; mask < 2 ** pieces.length - 1; mask++) {
      const torn = record.full.slice();
      for (const [i, piece] of pieces.entries()) if ((mask >>> i) & 1) applyStore(torn, piece);
      this.#push(record, mask, torn);
    }
    for (const store of pieces) {
      const before = record.full.slice();
      applyStore(record.full, store);
      this.stores.add(record.line, store, sameBytes(before, record.full));
    }
    record.stores += pieces.length;
    this.#push(record, 0, record.full);
    return pieces.length;
  }

  #push(record: LineRecord, mask: number, bytes: Uint8Array): void {
    if (mask === 0) record.ends.push({ stores: record.stores, content: record.contents });
    this.lines.push(record.line);
    this.kept.push(record.stores);
    this.pieces.push(mask);
    this.words.append(new Int32Array(bytes.buffer, bytes.byteOffset, wordsPerLine));
    record.contents++;
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};
