/** How much there was, and how much of it was tested. */
import type { PlannedPoints } from "../../crash/recovery-tree/index.ts";
import type { WaysPlan } from "../../exploration/recovery-paths/index.ts";
import type { GroupedUpdates } from "./grouped-updates.ts";
import type { Selection } from "./selection.ts";
import type { TestedBehaviours } from "./tested-behaviours.ts";

export interface RepresentStatistics {
  readonly stores: number;
  /** Stores that debug information says nothing about. */
  readonly nameless: number;
  readonly objects: number;
  readonly behaviours: number;
  /** Those aside that a representative of an earlier run stands for. */
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

/** Of several runs. */
export function joinedStatistics(runs: readonly RepresentStatistics[]): RepresentStatistics {
  return runs.reduce((a, b) => ({
    stores: a.stores + b.stores,
    nameless: a.nameless + b.nameless,
    // Objects have the same numbers in all runs, and are counted as far as they are known.
    objects: Math.max(a.objects, b.objects),
    behaviours: a.behaviours + b.behaviours,
    groups: a.groups + b.groups,
    behavioursTested: a.behavioursTested + b.behavioursTested,
    rounds: a.rounds + b.rounds,
    pointsLeftOut: a.pointsLeftOut + b.pointsLeftOut,
    crashStates: `${BigInt(a.crashStates) + BigInt(b.crashStates)}`,
    yatStates: `${BigInt(a.yatStates) + BigInt(b.yatStates)}`,
    executions: a.executions + b.executions,
    neverDurable: a.neverDurable + b.neverDurable,
  }));
}

interface Parts {
  readonly plan: WaysPlan;
  readonly updates: GroupedUpdates;
  readonly selection: Selection;
  readonly tested: TestedBehaviours;
  readonly planned: PlannedPoints;
}

export const statisticsOf = ({ plan, updates, selection, tested, planned }: Parts): RepresentStatistics => ({
  stores: updates.order.count,
  nameless: updates.nameless,
  objects: updates.parts.objects,
  behaviours: updates.behaviours,
  groups: selection.freshGroups,
  behavioursTested: tested.covered((round) => plan.isCovered(round)),
  rounds: tested.rounds.length,
  pointsLeftOut: tested.leftOut,
  crashStates: `${tested.states((round) => plan.isCovered(round))}`,
  yatStates: `${planned.states}`,
  executions: plan.extent.states,
  neverDurable: updates.neverDurable.length,
});
