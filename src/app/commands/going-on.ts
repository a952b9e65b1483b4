/** What a check goes on with when its own crash states are judged, and what is said of it. */
import { counted } from "../../base/index.ts";
import {
  type Beside,
  OrderBeside,
  type RepresentEngine,
  type RepresentStatistics,
  representEngine,
  unfailedRule,
} from "../../engines/index.ts";
import { type Coverage, exploredShare, isAllExplored } from "../../report/document/index.ts";
import { assumption } from "./explorations.ts";
import type { RecoveryFlags } from "./recoveries.ts";

interface GoingOnFlags extends RecoveryFlags {
  readonly explore: boolean;
}

/** Without a limit of time, a long run's updates are not put into groups: that would take longer than all else. */
const mostEvents = 50_000;

/** Stores out of order that recovery copes with. On other platforms stores persist in their order. */
const unordered: Beside = {
  rules: [unfailedRule],
  watcher: (scene, planned, creationEnd) => new OrderBeside(scene, planned, creationEnd),
};

/** Updates that stand for all others first, then every crash state of every point. It runs one recovery and nothing after it. */
export function goingOn({ explore, recover = [], then, ...flags }: GoingOnFlags): RepresentEngine | undefined {
  if (!explore || recover.length > 1 || then !== undefined) return undefined;
  const { creation, platform, time } = flags;
  // Updates persist independently of each other, which they do not where stores persist in their order.
  const most = time === undefined ? mostEvents : Number.POSITIVE_INFINITY;
  const thenAll = { mostEvents: platform === "strict" ? 0 : most };
  return representEngine({ creation, platform, thenAll, ...(platform === "px86" && { beside: unordered }) });
}

export const updatesOf = (numbers: RepresentStatistics): NonNullable<Coverage["updates"]> => ({
  behaviours: { judged: numbers.behavioursTested, total: numbers.behaviours },
  groups: numbers.groups,
  crashStates: numbers.crashStates,
});

/** Nobody reads hundreds of digits. */
export const shortCount = (count: string): string => (count.length > 15 ? `about 10^${count.length - 1}` : count);

/** "tested 11 of 121 updates of persistent objects, for 4 groups of like ones (475 crash states)". */
function updatesWords({ behaviours, groups, crashStates }: NonNullable<Coverage["updates"]>): string {
  const updates = `${behaviours.judged} of ${counted(behaviours.total, "update")} of persistent objects`;
  return `tested ${updates}, for ${counted(groups, "group")} of like ones (${shortCount(crashStates)} crash states)`;
}

/**
 * "tested …, then explored every crash state of 45% of the run": what goes beyond the check's own crash states. Where every one is
 * explored, nothing has to stand for others.
 */
export function furtherLine({ explored, updates }: Coverage, checksums: readonly string[] = []): string {
  if (explored === undefined) return "";
  const recoveries = counted(explored.recoveries, "recovery", "recoveries");
  const share = exploredShare(explored);
  const all = `explored every crash state of ${share}, in ${recoveries}${assumption(checksums)}`;
  const hasMore = updates !== undefined && updates.behaviours.judged > 0 && !isAllExplored(explored);
  return `\nblackout: ${hasMore ? `${updatesWords(updates)}, then ${all}` : all}`;
}
