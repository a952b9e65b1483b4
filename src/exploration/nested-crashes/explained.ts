/** From crashes inside recoveries to findings: the last of them is explained as the program's own crashes are. */
import { assert } from "../../base/index.ts";
import type { Finding, PreviousCrash } from "../../crash/finding/index.ts";
import { type PlannedPoints, planPoints } from "../../crash/recovery-tree/index.ts";
import {
  type CrashStep,
  crashAt,
  cutsOf,
  outcomeOptions,
  type PrintedWrong,
  type RecoveryEnd,
  RecoveryOutcomes,
  stepChoices,
  TraceCursor,
  wrongOutput,
} from "../../crash/states/index.ts";
import type { Places, TracedRecoveries } from "../../session/subject/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { Explainer, explainState, lostStores, OpenReadsFinder, StoreFacts, storeIn } from "../explain/index.ts";

/** What recovery failed with after these crashes, the program's own first. */
export interface FailingSteps {
  readonly steps: readonly CrashStep[];
  readonly failure: string;
  /** Crash states that show it. */
  readonly count: number;
}

/** Which ends are failures after a crash at the program's point, and what was printed wrong. */
export interface EndsAtPoint {
  failureOf(ended: RecoveryEnd): string | undefined;
  printedWrong(ended: RecoveryEnd): PrintedWrong | undefined;
}

export class ExplainedCrashes {
  readonly #scene: LeadScene;
  readonly #planned: PlannedPoints;
  readonly #traces: TracedRecoveries;
  readonly #explains: boolean;

  /** `explains`: whether each finding says why recovery's loads could read several stores. */
  constructor(scene: LeadScene, planned: PlannedPoints, traces: TracedRecoveries, explains = false) {
    this.#explains = explains;
    this.#scene = scene;
    this.#planned = planned;
    this.#traces = traces;
  }

  finding({ steps, failure, count }: FailingSteps, ends: EndsAtPoint): Finding {
    let planned = this.#planned;
    const previous: PreviousCrash[] = [];
    for (const [at, step] of steps.slice(0, -1).entries()) {
      previous.push(this.#previous(planned, at === 0 ? this.#scene.places : this.#traces.places, step));
      planned = this.#recovered(planned, step);
    }
    return this.#explained(planned, steps, previous, { failure, count, ends });
  }

  /** The recovery that follows a crash, with the points inside it. */
  #recovered({ source }: PlannedPoints, step: CrashStep): PlannedPoints {
    const crash = crashAt(source, step);
    assert(crash !== undefined, "a failure's cuts are possible where it was found");
    const { trace, history, firstVersion } = this.#traces.trace(crash.layout);
    const before = { acknowledged: crash.layout.acknowledged, firstVersion };
    return planPoints(trace, history, this.#scene.judging.platform, before);
  }

  #previous(planned: PlannedPoints, places: Places, step: CrashStep): PreviousCrash {
    const point = pointOf(planned, step);
    const moment = new TraceCursor(planned.source).before(point.seq);
    const facts = new StoreFacts(places, planned.source.trace);
    const lost = (cutsOf(moment, step.cuts) ?? []).flatMap((cut) =>
      lostStores(cut).map((store) => facts.fact(storeIn(cut.line, store, moment), moment.mappings)),
    );
    const { seq, thread, site, stack } = point;
    return { before: point.before, cut: facts.placed({ seq, thread, site, stack }), lost };
  }

  #explained(
    planned: PlannedPoints,
    steps: readonly CrashStep[],
    previous: readonly PreviousCrash[],
    { failure, count, ends }: Pick<FailingSteps, "failure" | "count"> & { readonly ends: EndsAtPoint },
  ): Finding {
    const { source } = planned;
    const step = steps.at(-1)!;
    const point = pointOf(planned, step);
    const moment = new TraceCursor(source).before(point.seq);
    const options = outcomeOptions(this.#scene.judging);
    const recoveries = new RecoveryOutcomes(this.#scene.subject.recovery().recovery, source, options);
    const state = {
      point,
      moment,
      outcome: (part: NonNullable<ReturnType<typeof cutsOf>>) => recoveries.outcome(point, moment, part),
      failureOf: ends.failureOf,
      printedWrong: (ended: RecoveryEnd) => (failure === wrongOutput ? ends.printedWrong(ended) : undefined),
    };
    const cuts = cutsOf(moment, step.cuts);
    assert(cuts !== undefined, "a failure's cuts are possible where it was found");
    const explained = explainState(state, cuts, failure);
    // What clean stops of the program print is not a measure of stops inside its recovery.
    const judging = { ...this.#scene.judging, oracle: "exit" as const };
    const scene = { ...this.#scene, trace: source.trace, places: this.#traces.places, judging };
    const finding = new Explainer(scene, source, options).finding({ ...explained, point, count });
    const crash = finding.crash!;
    const { schedule } = this.#scene.run;
    const all = [...steps.slice(0, -1), { ...step, cuts: explained.cuts }];
    const witness = { ...crash.witness, judging: this.#scene.judging, choices: [...schedule, ...stepChoices(all)] };
    const joined = { ...finding, crash: { ...crash, previous, witness } };
    return this.#explains ? new OpenReadsFinder(scene, source).joined(joined) : joined;
  }
}

function pointOf({ points }: PlannedPoints, { before, version }: CrashStep) {
  for (let number = 0; number < points.count; number++) {
    const point = points.point(number);
    if (point.seq === before && point.version === version) return point;
  }
  return assert(false, "a crash is at one of its trace's points") as never;
}
