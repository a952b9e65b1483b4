/** All crash states one by one, as an engine: a range of them to a unit, each run from the recovery's first instruction. */

import type { Finding } from "../../crash/finding/index.ts";
import { planPoints } from "../../crash/recovery-tree/index.ts";
import {
  BaseLines,
  type CrashSource,
  type CrashStep,
  cutsOf,
  failureKey,
  judgedIn,
  layoutOf,
  outcomeOptions,
  type RecoveryEnd,
  type RecoveryMachine,
  RecoveryOracle,
  RecoveryOutcomes,
  TraceCursor,
  verdictFails,
  wrongOutput,
} from "../../crash/states/index.ts";
import {
  type CrashFailure,
  Explainer,
  explainState,
  mergeFindings,
  recoveryRules,
} from "../../exploration/explain/index.ts";
import {
  countStates,
  type EnumeratedStates,
  ExplainedCrashes,
  pointOf,
  stateAt,
  stepOf,
  versionsOfStates,
} from "../../exploration/nested-crashes/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import { TracedRecoveries } from "../../session/subject/index.ts";
import {
  type CrashEngine,
  type Judge,
  type LeadScene,
  type Plan,
  type PlanLimits,
  type Range,
  RangeQueue,
  type Scene,
  type UnitResult,
} from "../../session/work/index.ts";
import { FurtherCrashes } from "./further-crashes.ts";

export interface EnumerateSetup {
  readonly enumerated: EnumeratedStates;
  readonly bases: Uint32Array;
  readonly operations: Uint32Array;
  /** Crashes in all. */
  readonly depth: number;
}

/** A state that recovery fails on. */
export interface FailingState {
  readonly state: number;
  readonly failure: string;
  /** The program's crash, and further ones inside recoveries. */
  readonly steps: readonly CrashStep[];
}

export interface EnumeratedResult extends UnitResult<Range> {
  /** Ways to end, each once. */
  readonly outcomes: readonly string[];
  readonly failing: readonly FailingState[];
}

/** Recoveries that end alike: the same end, the same words, and the same objects left unreached. */
export const outcomeText = ({ verdict, stdout, stderr, unreached }: RecoveryEnd): string =>
  JSON.stringify([failureKey({ verdict, stderr }), stdout, stderr, ...(unreached === undefined ? [] : [unreached])]);

class EnumerateJudge implements Judge<Range, undefined, EnumeratedResult> {
  readonly #source: CrashSource;
  readonly #enumerated: EnumeratedStates;
  readonly #recovery: RecoveryMachine;
  readonly #oracle: RecoveryOracle;
  readonly #cursor: TraceCursor;
  readonly #scene: Scene;
  readonly #depth: number;
  readonly #further: FurtherCrashes;

  constructor({ enumerated, bases, operations, depth }: EnumerateSetup, scene: Scene) {
    const { trace, versions, subject, judging } = scene;
    this.#scene = scene;
    this.#enumerated = enumerated;
    const { platform } = judging;
    this.#source = { trace, versions, bases: new BaseLines(bases), operations, platform };
    this.#recovery = subject.recovery().recovery;
    this.#oracle = oracleOf(this.#source, scene);
    this.#cursor = new TraceCursor(this.#source);
    this.#depth = depth;
    const traces = new TracedRecoveries(subject, judging.hangLimit);
    this.#further = new FurtherCrashes(traces, this.#recovery, judging.platform, judging.hangLimit);
  }

  judge({ from, to }: Range, _hint: undefined, stopped: () => boolean): EnumeratedResult {
    const outcomes = new Set<string>();
    const failing: FailingState[] = [];
    let state = from;
    let tested = 0;
    for (; state < to && !stopped(); state++) {
      const { point, first } = pointOf(this.#enumerated, state);
      const moment = this.#cursor.before(point.seq);
      const cuts = stateAt(moment, state - first);
      const step = stepOf(point, moment, cuts);
      const visit = (ended: RecoveryEnd, steps: readonly CrashStep[]): boolean => {
        tested++;
        outcomes.add(outcomeText(ended));
        const failure = this.#oracle.failureOf(point.seq, ended);
        if (failure !== undefined) failing.push({ state, failure, steps });
        return failure === undefined;
      };
      const layout = layoutOf(this.#source, point, moment, cuts);
      if (visit(this.#recovery.runPlainly(layout, this.#hangLimit), [step]))
        this.#further.after(layout, [step], this.#depth - 1, visit);
    }
    const rest = state < to ? { rest: { from: state, to } } : {};
    return { unit: { from, to: state }, ...rest, tested, outcomes: [...outcomes], failing };
  }

  get #hangLimit(): number {
    return this.#scene.judging.hangLimit;
  }
}

const oracleOf = (source: CrashSource, scene: Scene): RecoveryOracle =>
  new RecoveryOracle(source, outcomeOptions(scene.judging), judgedIn(scene), () => scene.subject.recovery().recovery);

export class EnumeratePlan implements Plan<EnumerateSetup, Range, undefined, EnumeratedResult> {
  readonly #scene: LeadScene;
  readonly source: CrashSource;
  readonly #enumerated: EnumeratedStates;
  readonly #queue: RangeQueue;
  /** Made when first asked for. */
  #oracle: RecoveryOracle | undefined;
  readonly outcomes = new Set<string>();
  readonly failing: FailingState[] = [];
  readonly items: number;
  readonly setup: EnumerateSetup;
  tested = 0;

  constructor(scene: LeadScene, platform: Platform, depth: number, { maxItems }: PlanLimits) {
    this.#scene = scene;
    const { source, enumerated } = countStates(scene.trace, scene.run.history, platform);
    this.source = source;
    this.#enumerated = enumerated;
    this.items = Math.min(enumerated.states, maxItems);
    this.#queue = new RangeQueue(this.items);
    this.setup = { enumerated, bases: source.bases.words, operations: source.operations, depth };
  }

  get done(): number {
    return this.#queue.judged.count;
  }
  get found(): number {
    return new Set(this.failing.map(({ failure }) => failure)).size;
  }
  next(items: number): Range | undefined {
    return this.#queue.next(items);
  }
  sizeOf({ from, to }: Range): number {
    return to - from;
  }
  hint(): undefined {
    return undefined;
  }
  versionsOf(range: Range): Iterable<number> {
    return versionsOfStates(this.#enumerated, this.source, range);
  }

  add(result: EnumeratedResult): void {
    if (!this.#queue.add(result)) return;
    this.tested += result.tested;
    for (const outcome of result.outcomes) this.outcomes.add(outcome);
    this.failing.push(...result.failing);
  }

  get extent() {
    const { points, states } = this.#enumerated;
    const judged = points.filter(({ first, count }) => this.#queue.judged.has({ from: first, to: first + count }));
    return { points: judged.length, pointsInAll: points.length, states: this.done, statesInAll: states };
  }

  /** Of each way to fail, the state that cuts the fewest lines short, after the fewest crashes. */
  findings(): readonly Finding[] {
    const best = new Map<string, FailingState>();
    const rank = ({ steps }: FailingState) =>
      steps.length * 1e6 + steps.reduce((sum, { cuts }) => sum + cuts.length, 0);
    for (const state of this.failing.toSorted((a, b) => a.state - b.state)) {
      const known = best.get(state.failure);
      if (known === undefined || rank(state) < rank(known)) best.set(state.failure, state);
    }
    const shown = [...best.values()].sort((a, b) => a.state - b.state);
    const [once, again] = [true, false].map((isOnce) => shown.filter(({ steps }) => (steps.length === 1) === isOnce));
    return mergeFindings([...this.#foundOnce(once!), ...this.#foundAgain(again!)]);
  }

  #foundOnce(states: readonly FailingState[]): readonly Finding[] {
    if (states.length === 0) return [];
    const options = outcomeOptions(this.#scene.judging);
    const recoveries = new RecoveryOutcomes(this.#scene.subject.recovery().recovery, this.source, options);
    const cursor = new TraceCursor(this.source);
    const explainer = new Explainer(this.#scene, this.source, options);
    return states.map((state) => explainer.finding(this.#explained(state, cursor, recoveries)));
  }

  /** Where it takes crashes inside recoveries. */
  #foundAgain(states: readonly FailingState[]): readonly Finding[] {
    if (states.length === 0) return [];
    const { run, subject, judging } = this.#scene;
    const traces = new TracedRecoveries(subject, judging.hangLimit);
    const planned = planPoints(run.trace, run.history, judging.platform);
    const explained = new ExplainedCrashes(this.#scene, planned, traces);
    const failureOf = (ended: RecoveryEnd) =>
      verdictFails(ended.verdict, judging.expectExit) ? failureKey(ended) : undefined;
    const ends = { failureOf, printedWrong: () => undefined };
    return states
      .filter(({ failure }) => failure !== wrongOutput)
      .map(({ steps, failure }) => explained.finding({ steps, failure, count: this.#countOf(failure) }, ends));
  }

  #countOf(failure: string): number {
    return this.failing.filter((each) => each.failure === failure).length;
  }

  #explained(
    { state, failure, steps: [step] }: FailingState,
    cursor: TraceCursor,
    recoveries: RecoveryOutcomes,
  ): CrashFailure {
    const { point } = pointOf(this.#enumerated, state);
    const moment = cursor.before(point.seq);
    this.#oracle ??= oracleOf(this.source, this.#scene);
    const oracle = this.#oracle;
    const failing = {
      point,
      moment,
      outcome: (part: NonNullable<ReturnType<typeof cutsOf>>) => recoveries.outcome(point, moment, part),
      failureOf: (ended: RecoveryEnd) => oracle.failureOf(point.seq, ended),
      printedWrong: (ended: RecoveryEnd) => oracle.printedWrong(point.seq, ended, failure),
      leaked: (ended: RecoveryEnd) => oracle.leaked(point.seq, ended),
    };
    const count = this.#countOf(failure);
    return { ...explainState(failing, cutsOf(moment, step!.cuts) ?? [], failure), point, count };
  }
}

export const enumerateEngine = (
  platform: Platform = "px86",
  depth = 1,
): CrashEngine<EnumerateSetup, Range, undefined, EnumeratedResult> => ({
  name: "enumerate",
  silence: "proof",
  rules: Object.values(recoveryRules),
  identity: `${platform} ${depth}`,
  plan: (scene, limits) => new EnumeratePlan(scene, platform, depth, limits),
  start: (setup, scene) => new EnumerateJudge(setup, scene),
});
