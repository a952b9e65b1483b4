/** Robustness with power cuts inside recoveries (PSan, section 4.4) as an engine. */
import type { Platform } from "../../../model/pmem/index.ts";
import type { CrashEngine, Range } from "../../../session/work/index.ts";
import type { RobustStatistics } from "../engine.ts";
import { orderRules } from "../rules.ts";
import { ChainJudge, type ChainResult, type ChainSetup } from "./judge.ts";
import { ChainPlan } from "./plan.ts";

export interface RobustChainsEngine extends CrashEngine<ChainSetup, Range, undefined, ChainResult> {
  /** Of the plan that was made last. */
  statistics(): RobustStatistics | undefined;
}

export interface ChainOptions {
  readonly platform?: Platform;
  /** One error is enough. */
  readonly stopAtFirst?: boolean;
}

/** `depth`: crashes in all, the program's own and further ones inside recoveries. */
export function robustChainsEngine(
  depth: number,
  { platform = "px86", stopAtFirst = false }: ChainOptions = {},
): RobustChainsEngine {
  let latest: ChainPlan | undefined;
  return {
    name: "robust-again",
    silence: "proof",
    rules: Object.values(orderRules),
    identity: [platform, "depth", depth, stopAtFirst].join(" "),
    plan: (scene, limits) => {
      latest = new ChainPlan(scene, { platform, depth, stopAtFirst, ...limits });
      return latest;
    },
    statistics: () => latest && statisticsOf(latest),
    start: (setup, scene) => new ChainJudge(setup, scene),
  };
}

const statisticsOf = ({ extent, tested, violating, found }: ChainPlan): RobustStatistics => ({
  points: extent.points,
  executions: tested,
  violating,
  pairs: found,
  openStates: extent.statesInAll - extent.states,
});
