/** What a check says of its exploration, which goes on when its own crash states are judged. */
import { counted } from "../../base/index.ts";
import type { RepresentStatistics } from "../../engines/index.ts";
import { type Coverage, exploredShare, isAllExplored } from "../../report/document/index.ts";
import { assumption } from "./explorations.ts";

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
