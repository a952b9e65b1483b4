/** Runs the recoveries that the plan asks for. What a run tells depends on its crash state alone. */

import { type PointTables, TracePoints } from "../../crash/recovery-tree/index.ts";
import { TracedRecoveries } from "../../session/subject/index.ts";
import type { Judge, Scene } from "../../session/work/index.ts";
import { packQuestions, type ToldRun } from "../recovery-paths/index.ts";
import { OrderedStates } from "./ordered-states.ts";
import type { OrderedResult, OrderedUnit } from "./orders.ts";
import { OrderRunner } from "./runner.ts";

export interface AgainSetup {
  readonly tables: PointTables;
  /** Functions that take checksums. */
  readonly checksums: readonly string[];
}

/** The crash states of a scene, for who runs recoveries on them. */
export function orderedStates(points: TracePoints, { subject, versions, judging }: Scene): OrderedStates {
  const traces = new TracedRecoveries(subject, judging.hangLimit);
  return new OrderedStates(points, versions, traces, judging.platform);
}

export class AgainJudge implements Judge<OrderedUnit, undefined, OrderedResult> {
  readonly #runner: OrderRunner;

  constructor({ tables, checksums }: AgainSetup, scene: Scene) {
    const states = orderedStates(new TracePoints(tables), scene);
    const { recovery } = scene.subject.recovery();
    this.#runner = new OrderRunner(states, recovery, scene.judging.hangLimit, checksums);
  }

  judge({ runs }: OrderedUnit, _hint: undefined, stopped: () => boolean): OrderedResult {
    const told: ToldRun[] = [];
    while (told.length < runs.length && !stopped()) {
      const order = runs[told.length]!;
      const { asked, ended } = this.#runner.run(order);
      told.push({ asked: packQuestions(asked.questions.slice(order.depth)), texts: asked.texts, ended });
    }
    const rest = told.length < runs.length ? { rest: { runs: runs.slice(told.length) } } : {};
    return { unit: { runs: runs.slice(0, told.length) }, ...rest, told, tested: told.length };
  }
}
