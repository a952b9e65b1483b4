/**
 * Stands before one event of a trace after another. Always: going forwards costs what lies between; going back starts from
 * the beginning.
 */
import type { EventSink, Trace } from "../../trace/events/index.ts";
import { recordWords } from "../../trace/record/index.ts";
import type { CrashSource } from "./source.ts";
import { CrashWalk, type Moment } from "./walk.ts";

/** Shows a sink the events of a trace, as far as somebody wants. */
export class TracePosition<Sink extends EventSink> {
  readonly sink: Sink;
  readonly #batches: Iterator<Uint32Array>;
  #words: Uint32Array = new Uint32Array();
  /** The event that the batch begins with, and the next to be shown. */
  #first = 0;
  next = 0;

  constructor(trace: Trace, sink: Sink) {
    this.sink = sink;
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
      this.sink.events(this.#words.subarray(from, (until - this.#first) * recordWords), this.next);
      this.next = until;
    }
  }
}

function walking({ trace, bases, acknowledged, platform = "px86" }: CrashSource): TracePosition<CrashWalk> {
  const readBase = bases.replaying();
  const options = { granularity: "flush", allPoints: false, platform, acknowledged, readBase } as const;
  return new TracePosition(trace, new CrashWalk(trace.tables, options));
}

export class TraceCursor {
  readonly #source: CrashSource;
  #position: TracePosition<CrashWalk>;

  constructor(source: CrashSource) {
    this.#source = source;
    this.#position = walking(source);
  }

  /** As of all events before `seq`; valid until the cursor moves on. */
  before(seq: number): Moment {
    if (seq < this.#position.next) this.#position = walking(this.#source);
    this.#position.advance(seq);
    return this.#position.sink.moment;
  }
}
