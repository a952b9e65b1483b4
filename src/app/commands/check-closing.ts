/** The lines after a check's report: what was judged, what exploration added, and what nothing is said of. */
import { type Coverage, isAllExplored } from "../../report/document/index.ts";
import type { SessionResult } from "../../session/work/index.ts";
import { furtherLine } from "./exploration-words.ts";
import { neverRanLine } from "./never-ran.ts";
import { emptyLine } from "./nothing-tested.ts";
import { scheduleWords, stopWords, uncoveredLines } from "./recoveries.ts";

/** Crash states that are like others, or were left to chance, are told of where exploration did not judge them after all. */
function coverageLine({ failurePoints: points, crashStates: states, stop, leftOut = 0, explored }: Coverage): string {
  const isExplored = explored !== undefined && isAllExplored(explored);
  const sampled = leftOut === 0 || isExplored ? "" : `; ${leftOut} more left out`;
  if (stop === undefined) return `${points.judged} failure points, ${states.judged} crash states, all judged${sampled}`;
  const percent = ((100 * states.judged) / Math.max(1, states.total)).toFixed(1);
  return `${stopWords[stop]}: ${points.judged} of ${points.total} failure points, ${states.judged} of ${states.total} crash states judged (${percent}%)`;
}

interface Remarked {
  readonly flags: { readonly verbose?: boolean };
  /** Functions of which exploration assumed that they take checksums. */
  readonly checksums: readonly string[];
  /** Why nothing was tested, if so. */
  readonly empty: string | undefined;
}

/** What ended early is the last thing to be read. */
export function closingLines(
  result: Pick<SessionResult, "schedules">,
  coverage: Coverage,
  { flags, checksums, empty }: Remarked,
): string {
  const { stop, explored } = coverage;
  const judged = `\nblackout: ${coverageLine(coverage)}${scheduleWords(result)}`;
  const further = furtherLine(coverage, checksums);
  const remarks = `${uncoveredLines(coverage)}${neverRanLine(coverage, flags)}`;
  const isCut = explored !== undefined && !isAllExplored(explored);
  const ordered =
    stop !== undefined ? [remarks, further, judged] : isCut ? [judged, remarks, further] : [judged, further, remarks];
  return [...ordered, emptyLine(empty)].join("").trimStart();
}
