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
  type Ended,
  type FailurePoint,
  type Layout,
  lineBytes,
  type Moment,
  type PmStore,
  Recoveries,
  type Recovery,
  type StateKind,
  smallestFailing,
  type TrackedLine,
} from "../../crash/index.ts";
import { type Standing, StateCursor } from "./cursor.ts";
import { failureKey, verdictFails, wrongOutput } from "./failure.ts";
import { type OracleSource, OutputOracle } from "./oracle.ts";

export interface JudgeOptions {
  readonly expectExit: number;
  readonly maxInstructions: number;
  /** Off: every crash state runs. */
  readonly memo: boolean;
  /** From the trace's path of a persistent file to the name the machine knows. */
  guestPath(path: string): string;
}

/** All that crash states are made of. */
export type CrashSource = OracleSource;

export interface LostLine {
  readonly path: string;
  readonly index: number;
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
  readonly ended: Ended;
  /** The fewest lines that recovery fails without; none when it fails with every store kept. */
  readonly lost: readonly LostLine[];
  /** The stores of those lines that were lost. */
  readonly stores: readonly LostStore[];
  /** What recovery should have printed, one or the other, where what it printed is what is wrong. */
  readonly expected?: readonly [string, string];
}

export interface FailureGroup {
  readonly key: string;
  /** The first of its states in the range. */
  readonly state: number;
  readonly count: number;
  /** Of the first state; left out where an earlier state has the key. */
  readonly explanation?: Explanation;
}

/** States by number, from `from` up to before `to`. */
export interface StateRange {
  readonly from: number;
  readonly to: number;
}

export interface Judged extends StateRange {
  readonly groups: readonly FailureGroup[];
  /** States that recovery ran on; the memo answered for the others. */
  readonly tested: number;
}

/** Where the lines' pending stores come from; how often does not matter. */
const sitesOf = (lines: readonly TrackedLine[]): string =>
  [...new Set(lines.flatMap(({ pending }) => pending.map(({ site, stack }) => `${site}/${stack}`)))].join(" ");

const linesNamed = ({ lines, mappings }: Moment, names: readonly LostLine[]): TrackedLine[] =>
  lines.open.filter((line) =>
    names.some(({ path, index }) => index === line.index && path === mappings.path(line.file)),
  );

/** Keys are many and long: short ones travel better. */
function shortKey(text: string): string {
  const digest = newDigest();
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
  return digestText(digest);
}

export class Judge {
  readonly #source: CrashSource;
  readonly #options: JudgeOptions;
  readonly #recoveries: Recoveries;
  readonly #cursor: StateCursor;
  readonly #oracle: OutputOracle | undefined;
  /** Keys with the first state that they were met at. */
  readonly #met = new Map<string, number>();

  /** With an `oracle`, a recovery machine of its own, what recovery prints is judged too. */
  constructor(source: CrashSource, recovery: Recovery, options: JudgeOptions, oracle?: Recovery) {
    this.#source = source;
    this.#options = options;
    this.#recoveries = new Recoveries(recovery, source.versions, options);
    this.#cursor = new StateCursor(source.trace, source);
    this.#oracle = oracle && new OutputOracle(source, oracle, options);
  }

  /**
   * `known` are keys of states before the range, which need no explanation. Once `stopped` says so, the range ends after
   * the state under way.
   */
  judge({ from, to }: StateRange, known: Iterable<string>, stopped: () => boolean): Judged {
    const groups = new Map<string, FailureGroup>();
    for (const key of known) this.#meet(key, -1);
    let state = from;
    let tested = 0;
    for (; state < to && !stopped(); state++) if (this.#judgeOne(state, groups)) tested++;
    return { from, to: state, groups: [...groups.values()], tested };
  }

  /** One crash state as a whole: the lines named are lost by a crash before event `seq`. */
  layout(seq: number, lost: readonly LostLine[]): Layout {
    const moment = this.#cursor.before(seq);
    const point = { seq, before: "end", thread: 0, site: 0, stack: 0 } as const;
    return this.#recoveries.layout(point, moment, linesNamed(moment, lost));
  }

  /** Whether a crash before event `seq` can lose these lines. */
  canLose(seq: number, lost: readonly LostLine[]): boolean {
    return linesNamed(this.#cursor.before(seq), lost).length === lost.length;
  }

  /** True when recovery had to run for it. */
  #judgeOne(state: number, groups: Map<string, FailureGroup>): boolean {
    const { plan } = this.#source;
    const index = plan.pointOf(state);
    const standing = this.#cursor.at(index);
    const { kind, lost } = standing.states[state - plan.first(index)]!;
    const { point, moment } = standing;
    const runs = this.#recoveries.runs;
    const failure = this.#failure(point, this.#recoveries.outcome(point, moment, lost));
    const tested = this.#recoveries.runs > runs;
    if (failure !== undefined) this.#note(state, standing, { kind, lost }, failure, groups);
    return tested;
  }

  #note(
    state: number,
    standing: Standing,
    { kind, lost }: CrashState,
    failure: string,
    groups: Map<string, FailureGroup>,
  ): void {
    const { point } = standing;
    const key = shortKey(`${failure} at ${point.site}/${point.stack} without ${sitesOf(lost)}`);
    const group = groups.get(key);
    if (group !== undefined) groups.set(key, { ...group, count: group.count + 1 });
    else if ((this.#met.get(key) ?? state) < state) groups.set(key, { key, state, count: 1 });
    else groups.set(key, { key, state, count: 1, explanation: this.#explain(standing, { kind, lost }, failure) });
    this.#meet(key, state);
  }

  #meet(key: string, state: number): void {
    this.#met.set(key, Math.min(state, this.#met.get(key) ?? state));
  }

  /** How recovery failed, undefined when it went well. */
  #failure({ seq }: FailurePoint, ended: Ended): string | undefined {
    if (verdictFails(ended.verdict, this.#options.expectExit)) return failureKey(ended);
    return this.#oracle?.allowed(seq).includes(ended.stdout) === false ? wrongOutput : undefined;
  }

  /** Which of the lost lines recovery cannot do without. */
  #explain({ point, moment }: Standing, { kind, lost }: CrashState, failure: string): Explanation {
    const culprits = smallestFailing(
      lost,
      (part) => this.#failure(point, this.#recoveries.outcome(point, moment, part)) === failure,
    );
    const place = culprits.length === 0 ? `at ${point.site}/${point.stack}` : `without ${sitesOf(culprits)}`;
    return {
      cause: `${failure} ${place}`,
      kind: culprits.length === 0 ? "prefix" : kind,
      ended: this.#recoveries.outcome(point, moment, culprits),
      lost: culprits.map(({ file, index }) => ({ path: moment.mappings.path(file), index })),
      stores: culprits.flatMap(({ file, index, pending }) =>
        pending.map((store) => ({
          ...store,
          path: moment.mappings.path(file),
          address: index * lineBytes + store.offset,
        })),
      ),
      ...(failure === wrongOutput && { expected: this.#oracle!.allowed(point.seq) }),
    };
  }
}
