/** Exhaustive exploration as an engine (Jaaru). It also runs the undisturbed recovery, which is a way through its tree. */
import type { RecoveryEnd } from "../../crash/index.ts";
import { recoveryRules } from "../../explain/index.ts";
import type { Platform } from "../../pmem/index.ts";
import type { Subject, TracedRun } from "../../subject/index.ts";
import type { CrashEngine } from "../../work/index.ts";
import { ExploreJudge, type ExploreSetup } from "./judge.ts";
import { ExplorePlan, type ExploreStatistics } from "./plan.ts";
import type { RunsResult, RunUnit } from "./run-orders.ts";
import { type Estimate, Started } from "./started.ts";

export interface ExploreOptions {
  readonly maxExecutions?: number;
  readonly platform?: Platform;
  /** Functions that take checksums: what they read is not gone through in every combination. */
  readonly checksums?: readonly string[];
}

export interface ExploreEngine extends CrashEngine<ExploreSetup, RunUnit, undefined, RunsResult> {
  /** Recovery after a clean stop, for who has to know how it ends before anything is judged. */
  undisturbed(subject: Subject, run: TracedRun, maxInstructions: number): RecoveryEnd | undefined;
  /** What there is to explore, and how long the undisturbed recovery takes once its code is known. */
  estimate(run: TracedRun, subject: Subject, clock: () => number): Estimate;
  /** Of the plan that was made last. */
  statistics(): ExploreStatistics | undefined;
}

export function exploreEngine(options: ExploreOptions = {}): ExploreEngine {
  const { maxExecutions = Number.POSITIVE_INFINITY, platform = "px86", checksums = [] } = options;
  let started: { readonly run: TracedRun; readonly exploration: Started } | undefined;
  const startedOf = (run: TracedRun): Started => {
    if (started?.run !== run) started = { run, exploration: new Started(run, platform, checksums) };
    return started.exploration;
  };
  let plan: ExplorePlan | undefined;
  return {
    name: "explore",
    silence: "proof",
    rules: Object.values(recoveryRules),
    identity: [platform, ...checksums].join(" "),
    undisturbed: (subject, run, maxInstructions) => startedOf(run).undisturbed(subject, maxInstructions),
    plan: (scene) => {
      plan = new ExplorePlan(scene, startedOf(scene.run), { maxExecutions });
      return plan;
    },
    estimate: (run, subject, clock) => startedOf(run).estimate(subject, clock),
    statistics: () => plan?.statistics(),
    start: (setup, scene) => new ExploreJudge(setup, scene),
  };
}
