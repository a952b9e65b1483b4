/** Engines below the command line: one program traced, and a plan carried out in this thread. */
import type { Subject, SubjectOptions } from "../../src/session/subject/index.ts";
import {
  type AskedJudging,
  type CrashEngine,
  judgingFor,
  type LeadScene,
  type Plan,
  type Undisturbed,
  type UnitResult,
} from "../../src/session/work/index.ts";
import { replay } from "../../src/trace/events/index.ts";
import { subjectOf, judging as usual } from "./subject.ts";

export type AnyPlan = Plan<unknown, unknown, unknown, UnitResult<unknown>>;
const noLimits = { maxItems: Number.POSITIVE_INFINITY, isTimed: false };

/** Everything in this thread, to the end. */
export function finishedPlan(engine: CrashEngine, scene: LeadScene): AnyPlan {
  const plan = engine.plan(scene, noLimits) as AnyPlan;
  const judge = engine.start(plan.setup, scene);
  for (let unit = plan.next(64); unit !== undefined; unit = plan.next(64))
    plan.add(judge.judge(unit, plan.hint(unit), () => false));
  return plan;
}

export function finished<P>(engine: CrashEngine, kind: abstract new (...args: never[]) => P, scene: LeadScene): P {
  const plan = finishedPlan(engine, scene);
  if (!(plan instanceof kind)) throw new Error("an engine's plan is its own");
  return plan;
}

/** One machine runs all its recoveries that are not traced: a run depends on nothing that ran before it. */
function withOneMachine(subject: Subject): Subject {
  const make = subject.recovery.bind(subject);
  let plain: ReturnType<typeof make> | undefined;
  subject.recovery = (more) => {
    if (more !== undefined) return make(more);
    plain ??= make();
    return plain;
  };
  return subject;
}

/** The program traced; the undisturbed recovery is the engine's. */
export function sceneOf(
  program: readonly string[],
  more: Partial<SubjectOptions>,
  undisturbed: Undisturbed,
  how: AskedJudging = usual,
): LeadScene {
  const subject = withOneMachine(subjectOf(program, more));
  const run = subject.trace([]);
  const judging = judgingFor(how, subject, run, undisturbed);
  const places = subject.places(run.trace.tables);
  replay(run.trace, places.modules);
  const input = new Uint8Array();
  return { subject, trace: run.trace, versions: run.history, judging, run, places, input, files: () => ({}) };
}
