/** What an exploration took, in numbers. */
import type { Started, WaysPlan } from "../../ways/index.ts";
import { jaaruExecutions } from "./jaaru-count.ts";

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

/** Of what was explored. What Jaaru would have run is known once everything is. */
export function statisticsOf(plan: WaysPlan, { planned, others, checksums }: Started): ExploreStatistics {
  const isExact = plan.isAll && checksums.length === 0 && planned.source.platform !== "strict";
  const { points, states, statesInAll } = plan.extent;
  return {
    points,
    executions: states,
    ...(isExact ? { jaaruExecutions: `${jaaruExecutions(planned, plan.tree, others)}` } : {}),
    yatStates: `${planned.states}`,
    openStates: statesInAll - states,
  };
}
