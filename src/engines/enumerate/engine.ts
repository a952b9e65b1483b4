/** All crash states one by one, as an engine: a range of them to a unit, each run from the recovery's first instruction. */
import {
  BaseLines,
  type CrashSource,
  type CutChoice,
  choiceOf,
  cutsOf,
  failureKey,
  layoutOf,
  OutputOracle,
  operationAround,
  type RecoveryEnd,
  type RecoveryMachine,
  RecoveryOutcomes,
  TraceCursor,
  verdictFails,
  versionOf,
  wrongOutput,
} from "../../crash/index.ts";
import { type CrashFailure, Explainer, explainState, mergeFindings, recoveryRules } from "../../explain/index.ts";
import type { Finding } from "../../finding/index.ts";
import type { Platform } from "../../pmem/index.ts";
import { pathFromText } from "../../vm/index.ts";
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
} from "../../work/index.ts";
import { countStates, type EnumeratedStates, pointOf, stateAt } from "./states.ts";

export interface EnumerateSetup {
  readonly enumerated: EnumeratedStates;
  readonly bases: Uint32Array;
  readonly operations: Uint32Array;
}

/** A state that recovery fails on. */
export interface FailingState {
  readonly state: number;
  readonly failure: string;
  readonly cuts: readonly CutChoice[];
}

export interface EnumeratedResult extends UnitResult<Range> {
  /** Ways to end, each once. */
  readonly outcomes: readonly string[];
  readonly failing: readonly FailingState[];
}

/** Recoveries that end alike: the same end, and the same words. */
export const outcomeText = ({ verdict, stdout, stderr }: RecoveryEnd): string =>
  JSON.stringify([failureKey({ verdict, stderr }), stdout, stderr]);

class EnumerateJudge implements Judge<Range, undefined, EnumeratedResult> {
  readonly #source: CrashSource;
  readonly #enumerated: EnumeratedStates;
  readonly #recovery: RecoveryMachine;
  readonly #oracle: OutputOracle | undefined;
  readonly #cursor: TraceCursor;
  readonly #scene: Scene;

  constructor({ enumerated, bases, operations }: EnumerateSetup, scene: Scene) {
    const { trace, versions, subject, judging } = scene;
    this.#scene = scene;
    this.#enumerated = enumerated;
    this.#source = { trace, versions, bases: new BaseLines(bases), operations };
    this.#recovery = subject.recovery().recovery;
    const { expectExit, hangLimit } = judging;
    const options = { memo: true, expectExit, maxInstructions: hangLimit, guestPath: pathFromText };
    this.#oracle =
      judging.oracle === "output" ? new OutputOracle(this.#source, subject.recovery().recovery, options) : undefined;
    this.#cursor = new TraceCursor(this.#source);
  }

  judge({ from, to }: Range, _hint: undefined, stopped: () => boolean): EnumeratedResult {
    const outcomes = new Set<string>();
    const failing: FailingState[] = [];
    let state = from;
    for (; state < to && !stopped(); state++) {
      const { point, first } = pointOf(this.#enumerated, state);
      const moment = this.#cursor.before(point.seq);
      const cuts = stateAt(moment, state - first);
      const ended = this.#recovery.run(layoutOf(this.#source, point, moment, cuts, pathFromText), this.#hangLimit);
      outcomes.add(outcomeText(ended));
      const failure = this.#failureOf(ended, point.seq);
      if (failure !== undefined) failing.push({ state, failure, cuts: cuts.map((cut) => choiceOf(cut, moment)) });
    }
    const rest = state < to ? { rest: { from: state, to } } : {};
    return { unit: { from, to: state }, ...rest, tested: state - from, outcomes: [...outcomes], failing };
  }

  get #hangLimit(): number {
    return this.#scene.judging.hangLimit;
  }

  #failureOf(ended: RecoveryEnd, seq: number): string | undefined {
    if (verdictFails(ended.verdict, this.#scene.judging.expectExit)) return failureKey(ended);
    return this.#oracle?.allowed(seq).includes(ended.stdout) === false ? wrongOutput : undefined;
  }
}

export class EnumeratePlan implements Plan<EnumerateSetup, Range, undefined, EnumeratedResult> {
  readonly #scene: LeadScene;
  readonly source: CrashSource;
  readonly #enumerated: EnumeratedStates;
  readonly #queue: RangeQueue;
  readonly outcomes = new Set<string>();
  readonly failing: FailingState[] = [];
  readonly items: number;
  readonly setup: EnumerateSetup;
  tested = 0;

  constructor(scene: LeadScene, platform: Platform, { maxItems }: PlanLimits) {
    this.#scene = scene;
    const { source, enumerated } = countStates(scene.trace, scene.run.history, platform);
    this.source = source;
    this.#enumerated = enumerated;
    this.items = Math.min(enumerated.states, maxItems);
    this.#queue = new RangeQueue(this.items);
    this.setup = { enumerated, bases: source.bases.words, operations: source.operations };
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
  versionsOf({ from, to }: Range): Iterable<number> {
    const { versions, operations, trace } = this.source;
    const points = this.#enumerated.points.filter(({ first, count }) => first < to && first + count > from);
    return new Set(
      points.flatMap(({ point }) => [
        versionOf(versions, point),
        ...operationAround(operations, point.seq, trace.count).map((at) => versions.versionAt(at)),
      ]),
    );
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

  /** Of each way to fail, the state that cuts the fewest lines short. */
  findings(): readonly Finding[] {
    const best = new Map<string, FailingState>();
    for (const state of this.failing.toSorted((a, b) => a.state - b.state)) {
      const known = best.get(state.failure);
      if (known === undefined || state.cuts.length < known.cuts.length) best.set(state.failure, state);
    }
    const { expectExit, hangLimit } = this.#scene.judging;
    const options = { expectExit, memo: true, maxInstructions: hangLimit, guestPath: pathFromText };
    const recoveries = new RecoveryOutcomes(this.#scene.subject.recovery().recovery, this.source, options);
    const cursor = new TraceCursor(this.source);
    const explainer = new Explainer(this.#scene, this.source, options);
    const failures = [...best.values()]
      .sort((a, b) => a.state - b.state)
      .map((state) => this.#explained(state, cursor, recoveries));
    return mergeFindings(failures.map((failure) => explainer.finding(failure)));
  }

  #explained({ state, failure, cuts }: FailingState, cursor: TraceCursor, recoveries: RecoveryOutcomes): CrashFailure {
    const { point } = pointOf(this.#enumerated, state);
    const moment = cursor.before(point.seq);
    const { expectExit } = this.#scene.judging;
    const failing = {
      point,
      moment,
      outcome: (part: NonNullable<ReturnType<typeof cutsOf>>) => recoveries.outcome(point, moment, part),
      failureOf: (ended: RecoveryEnd) => (verdictFails(ended.verdict, expectExit) ? failureKey(ended) : undefined),
      printedWrong: () => undefined,
    };
    const count = this.failing.filter((each) => each.failure === failure).length;
    return { ...explainState(failing, cutsOf(moment, cuts) ?? [], failure), point, count };
  }
}

export const enumerateEngine = (
  platform: Platform = "px86",
): CrashEngine<EnumerateSetup, Range, undefined, EnumeratedResult> => ({
  name: "enumerate",
  silence: "proof",
  rules: Object.values(recoveryRules),
  identity: platform,
  plan: (scene, limits) => new EnumeratePlan(scene, platform, limits),
  start: (setup, scene) => new EnumerateJudge(setup, scene),
});
