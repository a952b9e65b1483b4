/**
 * Judges crash states by their numbers: which of them recovery fails on, and what it cannot do without. Always:
 * - What is said of a range of states depends on the trace and the range, not on who judged what before: states may be
 *   split in any way, by any number of workers.
 * - Failures with one key (how recovery failed, where the power was cut, which stores were lost) are one group; its first
 *   state is explained, the others count.
 */
import { addWord, digestText, newDigest } from "../../base/index.ts";
import {
  type CrashState,
  type CutChoice,
  type CutLine,
  choiceOf,
  type FailurePoint,
  failureKey,
  lineBytes,
  type Moment,
  type OutcomeOptions,
  OutputOracle,
  type PmStore,
  PointStates,
  type RecoveryEnd,
  type RecoveryMachine,
  RecoveryOutcomes,
  type StateKind,
  smallestFailing,
  TraceCursor,
  type TrackedLine,
  verdictFails,
  wrongOutput,
} from "../../crash/index.ts";
import type { Judge, Range, UnitResult } from "../../work/index.ts";
import type { InjectSource } from "./plan.ts";

export interface JudgeOptions extends OutcomeOptions {
  readonly expectExit: number;
}

export interface LostStore extends PmStore {
  readonly path: string;
  /** In the file. */
  readonly address: number;
}

/** Why recovery fails on a state, as plain data. */
export interface Explanation {
  /** How it failed, and the place responsible: equal ones are one finding. */
  readonly cause: string;
  readonly kind: StateKind;
  readonly ended: RecoveryEnd;
  /** The fewest lines that recovery fails without, cut; none when it fails with every store kept. */
  readonly cuts: readonly CutChoice[];
  /** The stores of those lines that were lost. */
  readonly stores: readonly LostStore[];
  /** Stores that were kept although a crash may lose them, each of which has to be kept for the failure to show. */
  readonly kept: readonly LostStore[];
  /** What recovery should have printed, one or the other, where what it printed is what is wrong. */
  readonly expected?: readonly [string, string];
}

export interface FailureGroup {
  readonly key: string;
  /** The first of its states in the range. */
  readonly state: number;
  /** The last of them. */
  readonly last: number;
  readonly count: number;
  /** Of the first state; left out where an earlier state has the key. */
  readonly explanation?: Explanation;
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
}

/** Where the lost stores come from; how often does not matter. */
const sitesOf = (cuts: readonly CutLine[]): string =>
  [...new Set(cuts.flatMap(lostStores).map(({ site, stack }) => `${site}/${stack}`))].join(" ");

/** The stores that a cut loses; of a wide one, its lost pieces. */
const lostStores = ({ line, cut }: CutLine): readonly PmStore[] =>
  line.pending.filter((_, at) => at >= cut.kept && !((cut.pieces >>> (at - cut.kept)) & 1));

/** Keys are many and long: short ones travel better. */
function shortKey(text: string): string {
  const digest = newDigest();
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
  return digestText(digest);
}

export class InjectJudge implements Judge<Range, readonly string[], StatesResult> {
  readonly #source: InjectSource;
  readonly #options: JudgeOptions;
  readonly #recoveries: RecoveryOutcomes;
  readonly #cursor: TraceCursor;
  #here: PointInHand | undefined;
  readonly #oracle: OutputOracle | undefined;
  /** Keys with the first state that they were met at. */
  readonly #met = new Map<string, number>();

  /** With an `oracle`, a recovery machine of its own, what recovery prints is judged too. */
  constructor(source: InjectSource, recovery: RecoveryMachine, options: JudgeOptions, oracle?: RecoveryMachine) {
    this.#source = source;
    this.#options = options;
    this.#recoveries = new RecoveryOutcomes(recovery, source, options);
    this.#cursor = new TraceCursor(source);
    this.#oracle = oracle && new OutputOracle(source, oracle, options);
  }

  /**
   * `known` are keys of states before the range, which need no explanation. Once `stopped` says so, the range ends after
   * the state under way.
   */
  judge({ from, to }: Range, known: readonly string[], stopped: () => boolean): StatesResult {
    const groups = new Map<string, FailureGroup>();
    for (const key of known) this.#meet(key, -1);
    let state = from;
    let tested = 0;
    for (; state < to && !stopped(); state++) if (this.#judgeOne(state, groups)) tested++;
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

  /** True when recovery had to run for it. */
  #judgeOne(state: number, groups: Map<string, FailureGroup>): boolean {
    const { table } = this.#source;
    const index = table.pointOf(state);
    const here = this.#at(index);
    const { kind, cuts } = here.states.at(state - table.first(index));
    const { point, moment } = here;
    const runs = this.#recoveries.runs;
    const failure = this.#failure(point, this.#recoveries.outcome(point, moment, cuts));
    const tested = this.#recoveries.runs > runs;
    if (failure !== undefined) this.#note(state, here, { kind, cuts }, failure, groups);
    return tested;
  }

  #note(
    state: number,
    here: PointInHand,
    { kind, cuts }: CrashState,
    failure: string,
    groups: Map<string, FailureGroup>,
  ): void {
    const { point } = here;
    const key = shortKey(`${failure} at ${point.site}/${point.stack} without ${sitesOf(cuts)}`);
    const group = groups.get(key);
    if (group !== undefined) groups.set(key, { ...group, last: state, count: group.count + 1 });
    else if ((this.#met.get(key) ?? state) < state) groups.set(key, { key, state, last: state, count: 1 });
    else
      groups.set(key, { key, state, last: state, count: 1, explanation: this.#explain(here, { kind, cuts }, failure) });
    this.#meet(key, state);
  }

  #meet(key: string, state: number): void {
    this.#met.set(key, Math.min(state, this.#met.get(key) ?? state));
  }

  /** How recovery failed, undefined when it went well. */
  #failure({ seq }: FailurePoint, ended: RecoveryEnd): string | undefined {
    if (verdictFails(ended.verdict, this.#options.expectExit)) return failureKey(ended);
    return this.#oracle?.allowed(seq).includes(ended.stdout) === false ? wrongOutput : undefined;
  }

  /** Which stores recovery cannot do without: the fewest lines, and of these the fewest stores. */
  #explain({ point, moment }: PointInHand, { kind, cuts }: CrashState, failure: string): Explanation {
    const fails = (part: readonly CutLine[]) =>
      this.#failure(point, this.#recoveries.outcome(point, moment, part)) === failure;
    const culprits = fewerStores(smallestFailing(cuts, fails), fails);
    const place = culprits.length === 0 ? `at ${point.site}/${point.stack}` : `without ${sitesOf(culprits)}`;
    return {
      cause: `${failure} ${place}`,
      kind: culprits.length === 0 ? "prefix" : kind,
      ended: this.#recoveries.outcome(point, moment, culprits),
      cuts: culprits.map((cut) => choiceOf(cut, moment)),
      stores: culprits.flatMap((cut) => lostStores(cut).map((store) => storeIn(cut.line, store, moment))),
      kept: culprits.length === 0 ? [] : keptThatMatter(moment, culprits, fails),
      ...(failure === wrongOutput && { expected: this.#oracle!.allowed(point.seq) }),
    };
  }
}

/** A store as one to a file. */
export const storeIn = ({ file, index }: TrackedLine, store: PmStore, { mappings }: Moment): LostStore => ({
  ...store,
  path: mappings.path(file),
  address: index * lineBytes + store.offset,
});

/** Lines that are tried; the youngest are the likeliest. */
const mostKeptLines = 16;

/** Of each line without which the failure is gone too: the first store that brings it back. */
function keptThatMatter(
  moment: Moment,
  culprits: readonly CutLine[],
  fails: (part: readonly CutLine[]) => boolean,
): readonly LostStore[] {
  const others = moment.lines.open.filter((line) => culprits.every((cut) => cut.line !== line)).slice(-mostKeptLines);
  return others.flatMap((line) => {
    const failsWith = (kept: number) => fails([...culprits, { line, cut: { kept, pieces: 0 } }]);
    if (failsWith(0)) return [];
    const ends = line.pending.map((_, at) => at + 1).filter((kept) => isCut({ line, cut: { kept, pieces: 0 } }));
    const needed = ends.find(failsWith);
    return needed === undefined ? [] : [storeIn(line, line.pending[needed - 1]!, moment)];
  });
}

/** Each line cut as late as it still fails: then the first store that it loses is the one that matters. */
function fewerStores(cuts: readonly CutLine[], fails: (part: readonly CutLine[]) => boolean): readonly CutLine[] {
  return cuts.reduce((known, cut) => {
    const others = known.filter((each) => each !== cut);
    for (let kept = cut.line.pending.length - 1; kept > cut.cut.kept; kept--) {
      const later = { line: cut.line, cut: { kept, pieces: 0 } };
      if (isCut(later) && fails([...others, later])) return known.map((each) => (each === cut ? later : each));
    }
    return known;
  }, cuts);
}

/** A cut between the pieces of one store is none: which of them are kept is free. */
const isCut = ({ line, cut }: CutLine): boolean => !line.pending[cut.kept]?.further;
