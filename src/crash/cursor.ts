/**
 * Stands before one event of a trace after another. Always: going forwards costs what lies between; going back starts from
 * the beginning.
 */
import { recordWords } from "../trace/index.ts";
import type { CrashSource } from "./source.ts";
import { CrashWalk, type Moment } from "./walk.ts";

class Position {
  readonly walk: CrashWalk;
  readonly #batches: Iterator<Uint32Array>;
  #words: Uint32Array = new Uint32Array();
  /** The event that the batch begins with, and the next to be shown. */
  #first = 0;
  next = 0;

  constructor({ trace, bases }: CrashSource) {
    const readBase = bases.replaying();
    this.walk = new CrashWalk(trace.tables, { granularity: "flush", allPoints: false, readBase });
    this.#batches = trace.batches()[Symbol.iterator]();
  }

  /** Shows all events before `seq`. */
  advance(seq: number): void {
    while (this.next < seq) {
      const end = this.#first + this.#words.length / recordWords;
      if (this.next === end) {
        const batch = this.#batches.next();
        if (batch.done === true) return;
        this.#first = end;
        this.#words = batch.value;
        continue;
      }
      const until = Math.min(seq, end);
      const from = (this.next - this.#first) * recordWords;
      this.walk.events(this.#words.subarray(from, (until - this.#first) * recordWords), this.next);
      this.next = until;
    }
  }
}

export class TraceCursor {
  readonly #source: CrashSource;
  #position: Position;

  constructor(source: CrashSource) {
    this.#source = source;
    this.#position = new Position(source);
  }

  /** As of all events before `seq`; valid until the cursor moves on. */
  before(seq: number): Moment {
    if (seq < this.#position.next) this.#position = new Position(this.#source);
    this.#position.advance(seq);
    return this.#position.walk.moment;
  }
}
