/**
 * How much of a run an exploration went through. It has failure points of its own, as many as what a crash leaves differs at: two
 * numbers of failure points in one report would be taken for a mistake.
 */
import type { Explored } from "./report.ts";

/** Whether every crash state of the run was gone through. */
export const isAllExplored = ({ failurePoints: { judged, total } }: Explored): boolean => judged === total;

/** "those that lose stores of one line": what was gone through everywhere, where not all was. */
export function lostLinesText(lines: number): string {
  return `those that lose stores of ${lines === 1 ? "one line" : `at most ${lines} lines`}`;
}

/** "the run", or "45% of the run", perhaps with what was gone through beyond that. */
export function exploredShare(explored: Explored): string {
  if (isAllExplored(explored)) return "the run";
  const { lostLines = 0 } = explored;
  return lostLines === 0 ? percentOf(explored) : `${percentOf(explored)} and ${lostLinesText(lostLines)} of all of it`;
}

function percentOf(explored: Explored): string {
  const { judged, total } = explored.failurePoints;
  const percent = Math.floor((100 * judged) / total);
  return `${percent === 0 ? "less than 1" : percent}% of the run`;
}
