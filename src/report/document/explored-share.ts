/**
 * How much of a run an exploration went through. It has failure points of its own, as many as what a crash leaves differs at: two
 * numbers of failure points in one report would be taken for a mistake.
 */
import type { Explored } from "./report.ts";

/** Whether every crash state of the run was gone through. */
export const isAllExplored = ({ failurePoints: { judged, total } }: Explored): boolean => judged === total;

/** "the run", or "45% of the run". */
export function exploredShare(explored: Explored): string {
  if (isAllExplored(explored)) return "the run";
  const { judged, total } = explored.failurePoints;
  const percent = Math.floor((100 * judged) / total);
  return `${percent === 0 ? "less than 1" : percent}% of the run`;
}
