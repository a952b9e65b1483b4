/** Runs the recoveries that the plan asks for. What a run tells depends on its crash state alone. */
import { PointRunner, type PointTables, TracePoints } from "../../crash/recovery-tree/index.ts";
import type { Judge, Scene } from "../../session/work/index.ts";
import { packQuestions } from "./packed-questions.ts";
import type { RunsResult, RunUnit, ToldRun } from "./run-orders.ts";

export interface WaysSetup {
  readonly tables: PointTables;
  /** Functions that take checksums. */
  readonly checksums: readonly string[];
  /** Whether recoveries of other runs can learn from these. */
  readonly isShared: boolean;
}

export class WaysJudge implements Judge<RunUnit, undefined, RunsResult> {
  readonly #runner: PointRunner;

  constructor({ tables, checksums, isShared }: WaysSetup, { subject, versions, judging }: Scene) {
    const { recovery } = subject.recovery();
    const points = new TracePoints(tables);
    this.#runner = new PointRunner(points, versions, recovery, judging.hangLimit, checksums, isShared);
  }

  judge({ runs }: RunUnit, _hint: undefined, stopped: () => boolean): RunsResult {
    const told: ToldRun[] = [];
    while (told.length < runs.length && !stopped()) {
      const { point, held, depth } = runs[told.length]!;
      const { asked, ended } = this.#runner.run(point, held);
      told.push({ asked: packQuestions(asked.questions.subarray(depth)), texts: asked.texts, ended });
    }
    const rest = told.length < runs.length ? { rest: { runs: runs.slice(told.length) } } : {};
    return { unit: { runs: runs.slice(0, told.length) }, ...rest, told, tested: told.length };
  }
}
