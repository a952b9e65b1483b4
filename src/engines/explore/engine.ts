/** Exhaustive exploration as an engine (Jaaru). It also runs the undisturbed recovery, which is a way through its tree. */
import type { RecoveryEnd } from "../../crash/states/index.ts";
import { type CreationSeverity, creationRule, recoveryRules } from "../../exploration/explain/index.ts";
import {
  type Estimate,
  FailureWatch,
  limitAfter,
  type RunsResult,
  type RunUnit,
  SharedWays,
  type Started,
  startedRuns,
  WaysJudge,
  WaysPlan,
  type WaysSetup,
} from "../../exploration/recovery-paths/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import type { Subject, TracedRun } from "../../session/subject/index.ts";
import type { CrashEngine } from "../../session/work/index.ts";
import { type ExploreStatistics, statisticsOf } from "./statistics.ts";

export interface ExploreOptions {
  readonly maxExecutions?: number;
  readonly platform?: Platform;
  /** Functions that take checksums: what they read is not gone through in every combination. */
  readonly checksums?: readonly string[];
  /** What a crash while the run creates its file counts as; a warning if not given. */
  readonly creation?: CreationSeverity;
  /** Not all may be gone: points where several lines are open come first. */
  readonly likelyFirst?: boolean;
  /** Findings say why recovery's loads could read several stores. */
  readonly explains?: boolean;
  /** Whether functions that take checksums are looked for; they are if not given. */
  readonly findsChecksums?: boolean;
  /** Several runs are looked at, by schedules: what recoveries of one showed is not run again for another. */
  readonly severalRuns?: boolean;
}

export interface ExploreEngine extends CrashEngine<WaysSetup, RunUnit, undefined, RunsResult> {
  /** Recovery after a clean stop, for who has to know how it ends before anything is judged. */
  undisturbed(subject: Subject, run: TracedRun, maxInstructions: number): RecoveryEnd | undefined;
  /** What there is to explore, and how long the undisturbed recovery takes once its code is known. */
  estimate(run: TracedRun, subject: Subject, clock: () => number): Estimate;
  /** Of the plan that was made last; of all, where several runs are looked at. */
  statistics(): ExploreStatistics | undefined;
  /** Functions of which it assumes that they take checksums: those named, and those found. */
  checksums(): readonly string[];
}

export function exploreEngine(options: ExploreOptions = {}): ExploreEngine {
  const {
    maxExecutions = Number.POSITIVE_INFINITY,
    likelyFirst = false,
    explains = false,
    findsChecksums = true,
  } = options;
  const { platform = "px86", checksums = [], creation = "warning" } = options;
  const startedOf = startedRuns(platform, checksums, options.severalRuns ? new SharedWays() : undefined);
  let latest: { readonly plan: WaysPlan; readonly exploration: Started } | undefined;
  /** Of the runs before the latest. */
  let before: ExploreStatistics | undefined;
  const statistics = () => latest && statisticsOf(latest.plan, latest.exploration, before);
  return {
    name: "explore",
    silence: "proof",
    rules: [...Object.values(recoveryRules), creationRule(creation)],
    identity: [platform, findsChecksums, ...checksums].join(" "),
    undisturbed: (subject, run, maxInstructions) => {
      const started = startedOf(run);
      const ended = started.undisturbed(subject, maxInstructions);
      if (!findsChecksums || ended === undefined) return ended;
      const limit = Math.min(maxInstructions, limitAfter(ended));
      return started.findChecksums(subject, limit) ? started.undisturbed(subject, maxInstructions) : ended;
    },
    plan: (scene) => {
      const exploration = startedOf(scene.run);
      const watch = new FailureWatch(scene, exploration.planned, creation, explains);
      const plan = new WaysPlan(scene, exploration, { maxExecutions, likelyFirst }, watch);
      if (options.severalRuns) before = statistics();
      latest = { plan, exploration };
      return plan;
    },
    estimate: (run, subject, clock) => startedOf(run).estimate(subject, clock),
    statistics,
    checksums: () => latest?.exploration.checksums ?? checksums,
    start: (setup, scene) => new WaysJudge(setup, scene),
  };
}
