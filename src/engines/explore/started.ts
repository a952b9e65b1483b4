/** The beginning of an exploration: the trace's points, and the undisturbed recovery as the tree's first way. */
import type { RecoveryEnd } from "../../crash/index.ts";
import type { Platform } from "../../pmem/index.ts";
import type { Subject, TracedRun } from "../../subject/index.ts";
import {
  type Asked,
  OtherAnswers,
  type PlannedPoints,
  PointRunner,
  planPoints,
  TreeWalker,
  type WalkerHooks,
} from "../../tree/index.ts";

export class Started {
  readonly planned: PlannedPoints;
  readonly #run: TracedRun;
  readonly others: OtherAnswers;
  #undisturbed: { readonly asked: Asked; readonly ended: RecoveryEnd } | undefined;

  /** Functions that take checksums. */
  readonly checksums: readonly string[];

  constructor(run: TracedRun, platform: Platform, checksums: readonly string[]) {
    this.#run = run;
    this.checksums = checksums;
    this.planned = planPoints(run.trace, run.history, platform);
    this.others = new OtherAnswers(this.planned.points, run.history);
  }

  /** Recovery after the program's end with every store kept; undefined for a program that stores nothing. */
  undisturbed(subject: Subject, maxInstructions: number): RecoveryEnd | undefined {
    const { points } = this.planned;
    if (points.count === 0) return undefined;
    const runner = new PointRunner(
      points,
      this.#run.history,
      subject.recovery().recovery,
      maxInstructions,
      this.checksums,
    );
    const { asked, ended } = runner.run(points.count - 1, []);
    this.#undisturbed = { asked: { questions: asked.questions.slice(), texts: asked.texts }, ended };
    return ended;
  }

  /** One that knows the undisturbed recovery. */
  walker(hooks: WalkerHooks): TreeWalker {
    const { points } = this.planned;
    const walker = new TreeWalker(points, this.others, hooks);
    if (this.#undisturbed === undefined) return walker;
    const { asked, ended } = this.#undisturbed;
    const point = points.count - 1;
    walker.told({ point, held: [], ...walker.find(point, []) }, asked, ended);
    return walker;
  }
}
