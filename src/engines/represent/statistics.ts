/** How much there was, and how much of it was tested. */
import type { PlannedPoints } from "../../tree/index.ts";
import type { WaysPlan } from "../../ways/index.ts";
import type { GroupedUpdates } from "./grouped-updates.ts";
import type { Selection } from "./selection.ts";

export interface RepresentStatistics {
  readonly stores: number;
  /** Stores that debug information says nothing about. */
  readonly nameless: number;
  readonly objects: number;
  readonly behaviours: number;
  readonly groups: number;
  /** Behaviours that were tested: representatives, and those with statements that no representative has. */
  readonly behavioursTested: number;
  /** Failure points of tested behaviours, and how many more these last for than were taken. */
  readonly rounds: number;
  readonly pointsLeftOut: number;
  /** Crash states of what was tested, and of all points, one by one. */
  readonly crashStates: string;
  readonly yatStates: string;
  /** Recoveries run, the undisturbed one among them. */
  readonly executions: number;
  readonly neverDurable: number;
}

interface Parts {
  readonly plan: WaysPlan;
  readonly updates: GroupedUpdates;
  readonly selection: Selection;
  readonly states: bigint;
  readonly leftOut: number;
  readonly planned: PlannedPoints;
}

export const statisticsOf = ({ plan, updates, selection, states, leftOut, planned }: Parts): RepresentStatistics => ({
  stores: updates.order.count,
  nameless: updates.nameless,
  objects: updates.parts.objects,
  behaviours: updates.behaviours,
  groups: updates.groups.length,
  behavioursTested: selection.leaders.length + selection.others.length,
  rounds: plan.extent.pointsInAll,
  pointsLeftOut: leftOut,
  crashStates: `${states}`,
  yatStates: `${planned.states}`,
  executions: plan.extent.states,
  neverDurable: updates.neverDurable.length,
});
