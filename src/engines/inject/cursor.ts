/**
 * Stands at one failure point of a plan after another. Always: going forwards costs what lies between; going back starts
 * from the beginning.
 */
import { type CrashState, CrashWalk, type FailurePoint, type Moment, statesAt } from "../../crash/index.ts";
import { recordWords, type Trace } from "../../trace/index.ts";
import type { Planned } from "./plan.ts";

/** A failure point with what a crash there can leave. */
export interface Standing {
  readonly point: FailurePoint;
  readonly moment: Moment;
  readonly states: readonly CrashState[];
}

class Position {
  readonly walk: CrashWalk;
  readonly #batches: Iterator<Uint32Array>;
  #words: Uint32Array = new Uint32Array();
  /** The event that the batch begins with, and the next to be shown. */
  #first = 0;
  next = 0;

  constructor(trace: Trace, { bases }: Planned) {
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

export class StateCursor {
  readonly #trace: Trace;
  readonly #planned: Planned;
  #position: Position;
  #standing: Standing | undefined;

  constructor(trace: Trace, planned: Planned) {
    this.#trace = trace;
    this.#planned = planned;
    this.#position = new Position(trace, planned);
  }

  /** Valid until the cursor moves on. */
  at(index: number): Standing {
    const point = this.#planned.plan.point(index);
    if (this.#standing?.point.seq === point.seq) return this.#standing;
    const moment = this.before(point.seq);
    this.#standing = { point, moment, states: statesAt(moment.lines) };
    return this.#standing;
  }

  /** As of all events before `seq`. */
  before(seq: number): Moment {
    if (seq < this.#position.next) this.#position = new Position(this.#trace, this.#planned);
    this.#position.advance(seq);
    this.#standing = undefined;
    return this.#position.walk.moment;
  }
}
