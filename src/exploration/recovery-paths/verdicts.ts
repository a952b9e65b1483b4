/** Which ends of recovery are failures at which point, and what is reported of them. */

import type { EarlyFinding, Finding } from "../../crash/finding/index.ts";
import type { PlannedPoints } from "../../crash/recovery-tree/index.ts";
import {
  type CutLine,
  judgedIn,
  leakFailure,
  type OutcomeOptions,
  operationAround,
  outcomeOptions,
  type PrintedWrong,
  type RecoveryEnd,
  RecoveryOracle,
  RecoveryOutcomes,
  TraceCursor,
  wrongOutput,
} from "../../crash/states/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import {
  type CrashFailure,
  type Creation,
  creationOf,
  Explainer,
  earlyFinding,
  explainState,
  mistakeOf,
} from "../explain/index.ts";
import type { FailingWay } from "./failures.ts";

export class Verdicts {
  readonly #scene: LeadScene;
  readonly #planned: PlannedPoints;
  readonly #oracle: RecoveryOracle;
  #creation: { readonly found: Creation | undefined } | undefined;

  constructor(scene: LeadScene, planned: PlannedPoints) {
    this.#scene = scene;
    this.#planned = planned;
    const machine = () => scene.subject.recovery().recovery;
    this.#oracle = new RecoveryOracle(planned.source, this.#options, judgedIn(scene), machine);
  }

  get #options(): OutcomeOptions {
    return outcomeOptions(this.#scene.judging);
  }

  /** How recovery failed, undefined when it went well. */
  failureOf(ended: RecoveryEnd, point: number): string | undefined {
    return this.#oracle.failureOf(this.#planned.points.point(point).seq, ended);
  }

  /** Of the file, by this run; looked for when first asked: at its points, recovery fails. */
  get creation(): Creation | undefined {
    const { run, subject } = this.#scene;
    const { source, points } = this.#planned;
    const look = () => creationOf(run, source, points, subject.recovery().recovery, this.#options);
    this.#creation ??= { found: look() };
    return this.#creation.found;
  }

  /** Whether clean stops are the measure. */
  get #looksAtStops(): boolean {
    return this.#scene.judging.oracle === "output" || this.#scene.subject.options.findsLeaks === true;
  }

  /** Whether the same end may be judged otherwise than at the point before. */
  isOtherThanBefore(point: number): boolean {
    return this.measure(point) !== this.measure(point - 1);
  }

  /** Of points with the same, the same ends are failures, and of the same kind. */
  measure(point: number): string {
    const stage = this.creation?.stageOf(point) ?? "";
    if (!this.#looksAtStops) return stage;
    const { points, source } = this.#planned;
    return `${stage} ${operationAround(source.operations, points.point(point).seq, source.trace.count)}`;
  }

  /** What is wrong with what was printed, where that is the failure. */
  printedWrong(ended: RecoveryEnd, point: number): PrintedWrong | undefined {
    return this.#oracle.printedWrong(this.#planned.points.point(point).seq, ended, wrongOutput);
  }

  /** Fingerprints of the mistakes that a failure might be laid to: of the functions whose stores were lost. */
  mistakesOf({ sites }: FailingWay): readonly string[] {
    const { resolver } = this.#scene.places;
    return [...sites.values()].map(({ site, stack }) => mistakeOf(resolver.frames(site, stack)));
  }

  /** A failing way in a line, before it is explained. */
  early({ failure, point, sites }: FailingWay, ended: RecoveryEnd): EarlyFinding {
    const { resolver } = this.#scene.places;
    const isOther = failure === wrongOutput || failure === leakFailure;
    const kind = isOther ? failure : ended.verdict.kind;
    const lost = [...sites.values()];
    return earlyFinding({ kind, ended, point: this.#planned.points.point(point), lost }, (site, stack) =>
      resolver.frames(site, stack),
    );
  }

  /** `joined`: each as it is told, before those of one mistake become one. */
  findings(failing: readonly FailingWay[], joined: (finding: Finding) => Finding): readonly Finding[] {
    const { source } = this.#planned;
    if (failing.length === 0) return [];
    const ways = failing.toSorted((a, b) => a.point - b.point);
    const recoveries = new RecoveryOutcomes(this.#scene.subject.recovery().recovery, source, this.#options);
    const cursor = new TraceCursor(source);
    const failures = ways.map((way) => this.#explained(way, cursor, recoveries));
    const explainer = new Explainer(this.#scene, source, this.#options);
    return explainer.merged(failures.map((failure) => joined(explainer.finding(failure))));
  }

  #explained(way: FailingWay, cursor: TraceCursor, recoveries: RecoveryOutcomes): CrashFailure {
    const { points } = this.#planned;
    const point = points.point(way.point);
    const moment = cursor.before(point.seq);
    const cuts = way.held.map(
      ([line, content]): CutLine => ({
        line: moment.lines.get(points.key(line))!,
        cut: points.cut(content, points.window(line, way.point)[0]),
      }),
    );
    const state = {
      point,
      moment,
      outcome: (part: readonly CutLine[]) => recoveries.outcome(point, moment, part),
      failureOf: (ended: RecoveryEnd) => this.#oracle.failureOf(point.seq, ended),
      printedWrong: (ended: RecoveryEnd) => this.#oracle.printedWrong(point.seq, ended, way.failure),
      leaked: (ended: RecoveryEnd) => this.#oracle.leaked(point.seq, ended),
    };
    return { ...explainState(state, cuts, way.failure), point, count: way.count };
  }
}
