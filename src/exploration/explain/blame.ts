/**
 * Who is to blame when recovery fails with every store kept: no store that was lost, but one that was made. Searched
 * backwards for the last moment at which recovery still succeeds with every store so far; what happened next turned it.
 */
import { assert } from "../../base/index.ts";
import {
  type CrashSource,
  type CutLine,
  type FailurePoint,
  type JudgedOutput,
  type Moment,
  type OutcomeOptions,
  type RecoveryEnd,
  type RecoveryMachine,
  RecoveryOracle,
  RecoveryOutcomes,
  TraceCursor,
} from "../../crash/states/index.ts";
import { eventsBetween, type TraceEvent } from "../../trace/events/index.ts";

/** Each search walks the trace several times: only so many mistakes are looked into. */
const mostSearches = 24;

export class Blame {
  readonly #source: CrashSource;
  readonly #started: () => RecoveryOutcomes;
  #recoveries: RecoveryOutcomes | undefined;
  readonly #cursor: TraceCursor;
  readonly #failed: (ended: RecoveryEnd, seq: number, full?: RecoveryEnd) => boolean;
  readonly #known = new Map<number, boolean>();
  #searches = 0;
  /** The last place from which no moment was found at which recovery succeeds. */
  #nothingBefore = 0;

  /** `machine` makes recovery machines. */
  constructor(source: CrashSource, machine: () => RecoveryMachine, options: OutcomeOptions, judged: JudgedOutput) {
    this.#source = source;
    // Most failures are laid to a store that was lost, and nobody asks here.
    this.#started = () => new RecoveryOutcomes(machine(), source, options);
    this.#cursor = new TraceCursor(source);
    const oracle = new RecoveryOracle(source, options, judged, machine);
    this.#failed = (ended, seq, full = ended) => oracle.failureOf(seq, ended, () => full) !== undefined;
  }

  /** The event after which recovery fails, though it succeeds before it; undefined when it never succeeds before. */
  eventBefore(seq: number): TraceEvent | undefined {
    if (++this.#searches > mostSearches) return undefined;
    const good = this.#lastGood(seq);
    return good === undefined ? undefined : this.#turnBetween(good, seq);
  }

  /** The event after which recovery succeeds, though it fails before `seq`: soon after it; the state may turn again. */
  eventAfter(seq: number, end: number): TraceEvent {
    let [failing, step] = [seq, 1];
    for (; seq + step < end && this.failsAt(seq + step); step *= 2) failing = seq + step;
    return this.#turnBetween(failing, Math.min(end, seq + step));
  }

  /** Of two moments at one of which recovery fails: an event in between that makes the difference. */
  #turnBetween(before: number, after: number): TraceEvent {
    const wasFailing = this.failsAt(before);
    let [from, to] = [before, after];
    while (from + 1 < to) {
      const middle = Math.floor((from + to) / 2);
      if (this.failsAt(middle) === wasFailing) from = middle;
      else to = middle;
    }
    const [event] = eventsBetween(this.#source.trace, from, from + 1);
    assert(event !== undefined, "there is an event between two moments");
    return event;
  }

  /** Whether recovery fails when these lines are cut and all others kept. */
  failsWith(point: FailurePoint, moment: Moment, cuts: readonly CutLine[]): boolean {
    this.#recoveries ??= this.#started();
    const recoveries = this.#recoveries;
    const outcome = (part: readonly CutLine[]) => recoveries.outcome(point, moment, part);
    return this.#failed(outcome(cuts), point.seq, outcome([]));
  }

  /**
   * Ever longer steps back; not to where an earlier search found nothing: while a pool is created, recovery never succeeds
   * before, and each of many searches would walk the trace anew for every step.
   */
  #lastGood(seq: number): number | undefined {
    const nothingBefore = seq < this.#nothingBefore ? 0 : this.#nothingBefore;
    for (let step = 8; step < 2 * seq; step *= 2) {
      const position = Math.max(0, seq - step);
      if (position < nothingBefore) break;
      if (!this.failsAt(position)) return position;
    }
    this.#nothingBefore = Math.max(this.#nothingBefore, seq);
    return undefined;
  }

  /** Whether recovery fails with every store before this event kept. */
  failsAt(position: number): boolean {
    const known = this.#known.get(position) ?? this.failsWith(pointAt(position), this.#cursor.before(position), []);
    this.#known.set(position, known);
    return known;
  }
}

/** A crash before an event, wherever that is. */
export const pointAt = (seq: number): FailurePoint => ({ seq, before: "end", thread: 0, site: 0, stack: 0 });
