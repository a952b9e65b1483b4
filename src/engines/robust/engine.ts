/** Robustness as an engine (PSan), exhaustive: every way that recovery can go is judged by the stores that it reads from. */
import type { RecoveryEnd } from "../../crash/states/index.ts";
import type { FoundPair } from "../../exploration/persist-order/index.ts";
import {
  type RunsResult,
  type RunUnit,
  startedRuns,
  WaysJudge,
  WaysPlan,
  type WaysSetup,
} from "../../exploration/recovery-paths/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import type { Subject, TracedRun } from "../../session/subject/index.ts";
import type { CrashEngine } from "../../session/work/index.ts";
import { RandomPlan } from "./random-plan.ts";
import { orderRules } from "./rules.ts";
import { RobustWatch } from "./watch.ts";

export interface RobustOptions {
  readonly maxExecutions?: number;
  readonly platform?: Platform;
  /** Functions that take checksums: what they read counts only where all of it was kept. */
  readonly checksums?: readonly string[];
  /** So many executions by chance, rather than all. */
  readonly executions?: number;
  /** Of chance. */
  readonly seed?: number;
  /** By chance: judged recoveries that are kept at most, so that none of them is judged again. */
  readonly kept?: number;
  /** Fields and ranges whose stores do not count. */
  readonly ignore?: readonly string[];
  /** One error is enough. */
  readonly stopAtFirst?: boolean;
}

export interface RobustStatistics {
  /** Failure points that were covered. */
  readonly points: number;
  /** Recoveries run, the undisturbed one among them: executions after a crash that differ in what they read. */
  readonly executions: number;
  /** Of these, such as strict persistency does not have, by the stores that they read from. */
  readonly violating: number;
  /** Pairs of places in the code whose stores are not in order. */
  readonly pairs: number;
  /** Ways that are known to be there and were not gone. */
  readonly openStates: number;
}

export interface RobustEngine extends CrashEngine<WaysSetup, RunUnit, undefined, RunsResult> {
  /** Recovery after a clean stop, for who has to know how it ends before anything is judged. */
  undisturbed(subject: Subject, run: TracedRun, maxInstructions: number): RecoveryEnd | undefined;
  /** Of the plan that was made last. */
  statistics(): RobustStatistics | undefined;
  pairs(): readonly FoundPair[];
}

export function robustEngine(options: RobustOptions = {}): RobustEngine {
  const { maxExecutions = Number.POSITIVE_INFINITY, platform = "px86", checksums = [] } = options;
  const startedOf = startedRuns(platform, checksums);
  const { executions, seed = 0, ignore = [], stopAtFirst = false } = options;
  const kept = options.kept === undefined ? {} : { kept: options.kept };
  let latest: (() => RobustStatistics & { readonly found: readonly FoundPair[] }) | undefined;
  return {
    name: "robust",
    silence: executions === undefined ? "proof" : "evidence",
    rules: Object.values(orderRules),
    identity: [platform, executions ?? "all", seed, stopAtFirst, ...checksums, "ignore", ...ignore].join(" "),
    undisturbed: (subject, run, maxInstructions) => startedOf(run).undisturbed(subject, maxInstructions),
    plan: (scene) => {
      const started = startedOf(scene.run);
      if (executions !== undefined) {
        const random = new RandomPlan(scene, started, { executions, seed, ignore, stopAtFirst, ...kept });
        latest = () => statisticsOf(random, random);
        return random;
      }
      const watch = new RobustWatch(scene, started.planned, ignore);
      const plan = new WaysPlan(
        scene,
        started,
        { maxExecutions, isEnough: () => stopAtFirst && watch.pairs.hasError },
        watch,
      );
      latest = () => statisticsOf(plan, watch);
      return plan;
    },
    statistics: () => {
      if (latest === undefined) return undefined;
      const { found: _, ...numbers } = latest();
      return numbers;
    },
    pairs: () => latest?.().found ?? [],
    start: (setup, scene) => new WaysJudge(setup, scene),
  };
}

const statisticsOf = (
  { extent }: Pick<WaysPlan, "extent">,
  { violating, pairs }: Pick<RobustWatch, "violating" | "pairs">,
) => ({
  points: extent.points,
  executions: extent.states,
  violating,
  pairs: pairs.count,
  openStates: extent.statesInAll - extent.states,
  found: pairs.all(),
});
