/** Exploration with further crashes inside recoveries (Jaaru, Figures 9 and 10), as an engine of its own. */

import { creationRule, recoveryRules } from "../../exploration/explain/index.ts";
import {
  AgainJudge,
  AgainPlan,
  type AgainSetup,
  type OrderedResult,
  type OrderedUnit,
} from "../../exploration/nested-crashes/index.ts";
import type { CrashEngine } from "../../session/work/index.ts";
import type { ExploreOptions } from "./engine.ts";

export interface AgainStatistics {
  readonly points: number;
  /** Crash points inside recoveries that no recovery can tell from others. */
  readonly recoveryPoints: number;
  /** Recoveries run. */
  readonly executions: number;
  /** Crash states of the program's own points, one by one. */
  readonly yatStates: string;
  readonly openStates: number;
}

export interface AgainEngine extends CrashEngine<AgainSetup, OrderedUnit, undefined, OrderedResult> {
  /** Of the plan that was made last. */
  statistics(): AgainStatistics | undefined;
  /** Functions of which it assumes that they take checksums: those named, and those found. */
  checksums(): readonly string[];
}

export function exploreAgainEngine(depth: number, options: ExploreOptions = {}): AgainEngine {
  const { maxExecutions = Number.POSITIVE_INFINITY, platform = "px86", checksums = [], creation = "warning" } = options;
  const { explains = false, findsChecksums = true } = options;
  let latest: AgainPlan | undefined;
  return {
    name: "explore-again",
    silence: "proof",
    rules: [...Object.values(recoveryRules), creationRule(creation)],
    identity: [platform, depth, findsChecksums, ...checksums].join(" "),
    plan: (scene) => {
      latest = new AgainPlan(scene, { depth, platform, checksums, creation, maxExecutions, explains, findsChecksums });
      return latest;
    },
    statistics: () => latest && statisticsOf(latest),
    checksums: () => latest?.setup.checksums ?? checksums,
    start: (setup, scene) => new AgainJudge(setup, scene),
  };
}

function statisticsOf({ extent, recoveryPoints, planned }: AgainPlan): AgainStatistics {
  const { points, states, statesInAll } = extent;
  return {
    points,
    recoveryPoints,
    executions: states,
    yatStates: `${planned.states}`,
    openStates: statesInAll - states,
  };
}
