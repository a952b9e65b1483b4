/** Explorations below the command line: one scene, looked at by the explorer and by its slow twins. */
import { type RecoveryEnd, replayCrash, TraceCursor, verdictFails } from "../../src/crash/index.ts";
import {
  EnumeratePlan,
  type ExploreOptions,
  enumerateEngine,
  exploreEngine,
  injectEngine,
  JaaruPlan,
  jaaruEngine,
  outcomeText,
  stateAt,
} from "../../src/engines/index.ts";
import type { Subject, SubjectOptions } from "../../src/subject/index.ts";
import { replay } from "../../src/trace/index.ts";
import { pathFromText } from "../../src/vm/index.ts";
import { WaysPlan } from "../../src/ways/index.ts";
import {
  type AskedJudging,
  type CrashEngine,
  judgingFor,
  type LeadScene,
  type Plan,
  type UnitResult,
} from "../../src/work/index.ts";
import { judging as asked, subjectOf } from "../support/subject.ts";

export const pool = "/tmp/blackout-explore-pool.img";

type AnyPlan = Plan<unknown, unknown, unknown, UnitResult<unknown>>;
const noLimits = { maxItems: Number.POSITIVE_INFINITY, isTimed: false };

/** Everything in this thread, to the end. */
function finishedPlan(engine: CrashEngine, scene: LeadScene): AnyPlan {
  const plan = engine.plan(scene, noLimits) as AnyPlan;
  const judge = engine.start(plan.setup, scene);
  for (let unit = plan.next(64); unit !== undefined; unit = plan.next(64))
    plan.add(judge.judge(unit, plan.hint(unit), () => false));
  return plan;
}

function finished<P>(engine: CrashEngine, kind: abstract new (...args: never[]) => P, scene: LeadScene): P {
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

/** The program traced and explored. */
export function explored(
  program: readonly string[],
  more: Partial<SubjectOptions> = {},
  { judging: how = asked, ...options }: ExploreOptions & { readonly judging?: AskedJudging } = {},
) {
  const subject = withOneMachine(subjectOf(program, more));
  const run = subject.trace([]);
  const engine = exploreEngine(options);
  const judging = judgingFor(how, subject, run, engine.undisturbed);
  const places = subject.places(run.trace.tables);
  replay(run.trace, places.modules);
  const input = new Uint8Array();
  const scene: LeadScene = {
    subject,
    trace: run.trace,
    versions: run.history,
    judging,
    run,
    places,
    input,
    files: () => ({}),
  };
  const plan = finished(engine as CrashEngine, WaysPlan, scene);
  return { scene, plan, statistics: engine.statistics()! };
}

export const enumerated = (scene: LeadScene): EnumeratePlan =>
  finished(enumerateEngine() as CrashEngine, EnumeratePlan, scene);

export const likeJaaru = (scene: LeadScene): JaaruPlan => finished(jaaruEngine() as CrashEngine, JaaruPlan, scene);

/** Crash injection at every store. */
export const injected = (scene: LeadScene): AnyPlan =>
  finishedPlan(injectEngine({ granularity: "store", allPoints: true, memo: true }) as CrashEngine, scene);

export const outcomesOf = (ends: readonly RecoveryEnd[]): ReadonlySet<string> => new Set(ends.map(outcomeText));

/** Numbers of the states that recovery fails on, as the tree has it. */
export function failingStates(plan: WaysPlan, all: EnumeratePlan, { judging }: LeadScene): number[] {
  const { points } = all.setup.enumerated;
  const cursor = new TraceCursor(all.source);
  return points.flatMap(({ point, first, count }, number) => {
    const moment = cursor.before(point.seq);
    return Array.from({ length: count }, (_, i) => i).flatMap((i) => {
      const ended = plan.endOf(number, stateAt(moment, i));
      if (ended === undefined) throw new Error(`state ${first + i} was not explored`);
      return verdictFails(ended.verdict, judging.expectExit) ? [first + i] : [];
    });
  });
}

/** What replaying each finding's witness answers. */
export const replayed = (plan: WaysPlan, { subject }: LeadScene, all: EnumeratePlan): readonly string[] =>
  plan.findings().map(({ crash }) => {
    const { recovery } = subject.recovery();
    return replayCrash(crash!.witness, all.source, recovery, pathFromText).answer;
  });
