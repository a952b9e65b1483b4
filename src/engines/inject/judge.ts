/**
 * Judges crash states by their numbers: which of them recovery fails on, and what it cannot do without. Always:
 * - What is said of a range of states depends on the trace and the range, not on who judged what before: states may be
 *   split in any way, by any number of workers.
 * - Failures with one key (how recovery failed, where the power was cut, which stores were lost) are one group; its first
 *   state is explained, the others count.
 */
import { addWord, assert, digestText, newDigest, verifiesOwnWork } from "../../base/index.ts";
import {
  type CrashState,
  type FailurePoint,
  type JudgedOutput,
  type Moment,
  type OutcomeOptions,
  PointStates,
  type RecoveryEnd,
  type RecoveryMachine,
  RecoveryOracle,
  RecoveryOutcomes,
  type StateKind,
  TraceCursor,
} from "../../crash/states/index.ts";
import { type Explanation, explainState, sitesOf } from "../../exploration/explain/index.ts";
import type { Judge, Range, UnitResult } from "../../session/work/index.ts";
import type { InjectSource } from "./plan.ts";

export interface StateExplanation extends Explanation {
  readonly kind: StateKind;
}

export interface FailureGroup {
  readonly key: string;
  /** The first of its states in the range. */
  readonly state: number;
  /** The last of them. */
  readonly last: number;
  readonly count: number;
  /** Of the first state; left out where an earlier state has the key. */
  readonly explanation?: StateExplanation;
}

/** What was found in a range of states. */
export interface StatesResult extends UnitResult<Range> {
  readonly groups: readonly FailureGroup[];
}

/** A failure point with what a crash there can leave. */
interface PointInHand {
  readonly index: number;
  readonly point: FailurePoint;
  readonly moment: Moment;
  readonly states: PointStates;
  /** How recovery ends with every store so far; asked of every state, it is looked for once. */
  whole?: RecoveryEnd;
}

/** Keys are many and long: short ones travel better. */
function shortKey(text: string): string {
  const digest = newDigest();
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
  return digestText(digest);
}

export class InjectJudge implements Judge<Range, readonly string[], StatesResult> {
  readonly #source: InjectSource;
  readonly #recoveries: RecoveryOutcomes;
  readonly #cursor: TraceCursor;
  #here: PointInHand | undefined;
  readonly #oracle: RecoveryOracle;
  /** Keys with the first state that they were met at. */
  readonly #met = new Map<string, number>();

  /** `machine` makes recovery machines. */
  constructor(source: InjectSource, machine: () => RecoveryMachine, options: OutcomeOptions, judged: JudgedOutput) {
    this.#source = source;
    this.#recoveries = new RecoveryOutcomes(machine(), source, options);
    this.#cursor = new TraceCursor(source);
    this.#oracle = new RecoveryOracle(source, options, judged, machine);
  }

  /**
   * `known` are keys of states before the range, which need no explanation. Once `stopped` says so, the range ends after
   * the state under way.
   */
  judge({ from, to }: Range, known: readonly string[], stopped: () => boolean): StatesResult {
    const groups = new Map<string, FailureGroup>();
    for (const key of known) this.#meet(key, from - 1);
    let state = from;
    let tested = 0;
    while (state < to && !stopped()) {
      const judged = this.#judgeOne(state, groups);
      if (judged.tested) tested++;
      state = judged.failed ? state + 1 : Math.min(to, this.#nextUnlike(state));
    }
    const rest = state < to ? { rest: { from: state, to } } : {};
    return { unit: { from, to: state }, ...rest, groups: [...groups.values()], tested };
  }

  /** Valid until the next point is asked for. */
  #at(index: number): PointInHand {
    if (this.#here?.index === index) return this.#here;
    const point = this.#source.table.point(index);
    const moment = this.#cursor.before(point.seq);
    this.#here = { index, point, moment, states: new PointStates(moment.lines, point) };
    return this.#here;
  }

  /** `tested`: recovery had to run for it. */
  #judgeOne(state: number, groups: Map<string, FailureGroup>): { readonly tested: boolean; readonly failed: boolean } {
    const { table } = this.#source;
    const index = table.pointOf(state);
    const here = this.#at(index);
    const crashed = here.states.at(state - table.first(index));
    const { point, moment } = here;
    const runs = this.#recoveries.runs;
    const ended = this.#recoveries.stateOutcome(point, moment, crashed);
    const tested = this.#recoveries.runs > runs;
    const failure = this.#failure(here, ended);
    if (failure !== undefined) this.#note(state, here, crashed, failure, groups);
    return { tested, failed: failure !== undefined };
  }

  /**
   * The next state that may end otherwise than this one did just now. Where recovery with every store looks at no line that
   * can be cut, all states of the point end alike: most points, in programs that write aside before they publish.
   */
  #nextUnlike(state: number): number {
    const { index, point, moment, states } = this.#here!;
    const { table } = this.#source;
    if (state !== table.first(index) || !this.#recoveries.looksAtNoneOf(states.open)) return state + 1;
    if (verifiesOwnWork())
      for (let at = 1; at < states.count; at++) {
        const { runs } = this.#recoveries;
        const [first, other] = [0, at].map((each) => this.#recoveries.stateOutcome(point, moment, states.at(each)));
        assert(first === other && runs === this.#recoveries.runs, "what recovery does not look at changes nothing");
      }
    return table.first(index + 1);
  }

  #note(
    state: number,
    here: PointInHand,
    crashed: CrashState,
    failure: string,
    groups: Map<string, FailureGroup>,
  ): void {
    const { point } = here;
    const key = shortKey(`${failure} at ${point.site}/${point.stack} without ${sitesOf(crashed.cuts)}`);
    const group = groups.get(key);
    if (group !== undefined) groups.set(key, { ...group, last: state, count: group.count + 1 });
    else if ((this.#met.get(key) ?? state) < state) groups.set(key, { key, state, last: state, count: 1 });
    else groups.set(key, { key, state, last: state, count: 1, explanation: this.#explain(here, crashed, failure) });
    this.#meet(key, state);
  }

  #meet(key: string, state: number): void {
    this.#met.set(key, Math.min(state, this.#met.get(key) ?? state));
  }

  /** How recovery failed, undefined when it went well. */
  #failure(here: PointInHand, ended: RecoveryEnd): string | undefined {
    return this.#oracle.failureOf(here.point.seq, ended, () => {
      here.whole ??= this.#recoveries.outcome(here.point, here.moment, []);
      return here.whole;
    });
  }

  #explain(here: PointInHand, { kind, cuts }: CrashState, failure: string): StateExplanation {
    const { point, moment } = here;
    const explained = explainState(
      {
        point,
        moment,
        outcome: (part) => this.#recoveries.outcome(point, moment, part),
        failureOf: (ended) => this.#failure(here, ended),
        printedWrong: (ended) => this.#oracle.printedWrong(point.seq, ended, failure),
        leaked: (ended) => this.#oracle.leaked(point.seq, ended),
      },
      cuts,
      failure,
    );
    return { ...explained, kind: explained.cuts.length === 0 ? "prefix" : kind };
  }
}
