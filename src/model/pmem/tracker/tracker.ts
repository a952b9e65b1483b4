/**
 * Reads a trace's records and keeps its lines up to date: the one place that says what each kind of event does to them. The
 * compiled pass of the rules (engines/rules/core) says the same again for speed; tests compare it with this.
 */
import { codeIn, codeOf, inRecord, isFurtherPiece, storedBytes, threadIn } from "../../../trace/record/index.ts";
import { type LineOptions, PmLines, type ReadBase } from "./lines.ts";
import { type LineKey, lineBytes, lineKey } from "./places.ts";

/** Where an address lies in a persistent file. */
export interface FilePlace {
  readonly file: number;
  readonly offset: number;
}

export interface TrackerOptions extends LineOptions {
  readonly readBase: ReadBase;
  /** Undefined for memory that is not of a persistent file. */
  place(address: number): FilePlace | undefined;
  /** msync: an ordinary file, for which flushes and fences do nothing (default dax). */
  readonly mode?: "dax" | "msync";
}

const { store, "non-temporal": nonTemporal, clflush, clwb, sfence, mfence, locked } = codeOf;

export class PmTracker {
  readonly lines: PmLines;
  readonly #place: TrackerOptions["place"];
  readonly #persisting: boolean;

  constructor(options: TrackerOptions) {
    this.lines = new PmLines(options.readBase, options);
    this.#place = options.place;
    this.#persisting = options.mode !== "msync";
  }

  /** Takes a store, a flush or a fence; true for a store to persistent memory. Other events change no line. */
  take(words: Uint32Array, at: number, seq: number): boolean {
    const head = words[at + inRecord.head]!;
    const code = codeIn(head);
    if (code === store || code === nonTemporal) return this.#store(words, at, seq, code);
    if (!this.#persisting) return false;
    if (code <= clwb) this.#flush(code, threadIn(head), words[at + inRecord.address]!);
    else if (code === sfence || code === mfence || code === locked) this.lines.fence(threadIn(head));
    return false;
  }

  /** Whether the event, a flush or a fence, makes stores sure to survive that were not before. */
  raises(words: Uint32Array, at: number): boolean {
    if (!this.#persisting) return false;
    const head = words[at + inRecord.head]!;
    const code = codeIn(head);
    if (code === sfence || code === mfence || code === locked) return this.lines.wouldPersist(threadIn(head));
    const key = code === clflush ? this.#line(words[at + inRecord.address]!) : undefined;
    return key !== undefined && this.lines.isOpen(key);
  }

  /** Of a file, the bytes between two offsets are persisted. */
  sync(file: number, from: number, to: number): void {
    this.lines.persistRange(file, from, to);
  }

  #store(words: Uint32Array, at: number, seq: number, code: number): boolean {
    const place = this.#place(words[at + inRecord.address]!);
    if (place === undefined) return false;
    const head = words[at + inRecord.head]!;
    const made = {
      seq,
      thread: threadIn(head),
      site: words[at + inRecord.site]!,
      stack: words[at + inRecord.stack]!,
      offset: place.offset % lineBytes,
      size: storedBytes(head),
      low: words[at + inRecord.low]! | 0,
      high: words[at + inRecord.high]! | 0,
      further: isFurtherPiece(head),
    };
    const how = code === nonTemporal && this.#persisting ? "non-temporal" : "plain";
    this.lines.store(place.file, Math.floor(place.offset / lineBytes), made, how);
    return true;
  }

  #flush(code: number, thread: number, address: number): void {
    const key = this.#line(address);
    if (key === undefined) return;
    if (code === clflush) this.lines.persistNow(key);
    else this.lines.ask(key, thread);
  }

  #line(address: number): LineKey | undefined {
    const place = this.#place(address);
    return place && lineKey(place.file, Math.floor(place.offset / lineBytes));
  }
}
