/** What an exploration took, in numbers. */
import type { Started, WaysPlan } from "../../exploration/recovery-paths/index.ts";
import { jaaruExecutions } from "../compare/index.ts";

export interface ExploreStatistics {
  /** Covered. */
  readonly points: number;
  /** Recoveries run, the undisturbed one among them. */
  readonly executions: number;
  readonly jaaruExecutions?: string;
  /** Crash states of all points, one by one. */
  readonly yatStates: string;
  /** Ways that are known to be there and were not gone. */
  readonly openStates: number;
}

/** Of what was explored. What Jaaru would have run is known once everything is, and counted for one run alone. */
export function statisticsOf(
  plan: WaysPlan,
  { planned, others, checksums, shared }: Started,
  before: ExploreStatistics | undefined,
): ExploreStatistics {
  const isOne = shared === undefined && planned.source.platform !== "strict";
  const isExact = plan.isAll && checksums.length === 0 && isOne;
  const { points, states, statesInAll } = plan.extent;
  return {
    points: points + (before?.points ?? 0),
    executions: states + (before?.executions ?? 0),
    ...(isExact ? { jaaruExecutions: `${jaaruExecutions(planned, plan.tree, others)}` } : {}),
    yatStates: `${planned.states + BigInt(before?.yatStates ?? 0)}`,
    openStates: statesInAll - states + (before?.openStates ?? 0),
  };
}
