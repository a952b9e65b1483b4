/** Why a command that found nothing has no verdict: nothing was tested, or no more than a part of a run that failed. */
import { counted, printable } from "../../base/index.ts";
import { describeOutcome, type FileUse, hasStored, type TracedRun } from "../../session/subject/index.ts";
import type { SessionResult } from "../../session/work/index.ts";
import { exitCode } from "./exit-codes.ts";

export interface EmptyFlags {
  readonly allowEmpty?: boolean;
}

/** What was looked at, as far as it can be empty. */
export interface LookedAt {
  /** Undefined where the events came from a file. */
  readonly run?: { readonly outcome: TracedRun["outcome"]; readonly fileUse: FileUse } | undefined;
  /** Whether there was anything to judge: failure points, or stores for the rules. */
  readonly isEmpty: boolean;
  readonly hasStored: boolean;
}

const mostNamed = 3;
const named = (names: readonly string[]): string => {
  const shown = names.slice(0, mostNamed).map(printable).join(", ");
  return names.length > mostNamed ? `${shown} and ${names.length - mostNamed} more` : shown;
};

/** What the run did with files, by what is nearest to persistent memory. */
function filesWords({ persistent, unmatched, written }: FileUse, stored: boolean): string {
  if (stored) return `stored to ${named(persistent)}, and no power cut falls on that`;
  if (persistent.length > 0) return `mapped ${named(persistent)} shared and stored nothing there`;
  if (unmatched.length > 0) return `mapped ${named(unmatched)} shared, which no --pm matches`;
  if (written > 0) return `wrote ${counted(written, "file")} by calls; ordinary files are not judged yet`;
  return "mapped no file shared and wrote none";
}

const failed = (outcome: TracedRun["outcome"]): boolean => outcome?.kind !== "exit" || outcome.code !== 0;

/** "the program exited with 2 and called vfork, which is not supported", or empty. */
function failureWords({ outcome, fileUse: { unsupported } }: NonNullable<LookedAt["run"]>): string {
  const calls = unsupported.length === 0 ? [] : [`called ${named(unsupported)}, which is not supported`];
  return [...(failed(outcome) ? [describeOutcome(outcome)] : []), ...calls].join(" and ");
}

/** One sentence where no finding means nothing; undefined where it means something. */
export function nothingTested({ run, isEmpty, hasStored: stored }: LookedAt): string | undefined {
  if (run === undefined)
    return isEmpty ? "nothing was tested: the trace holds no store to persistent memory" : undefined;
  const failure = failureWords(run);
  const files = filesWords(run.fileUse, stored);
  if (isEmpty) return `nothing was tested: the program ${failure === "" ? files : `${failure}; it ${files}`}`;
  return failed(run.outcome) ? `tested only up to where the program failed: it ${failure}` : undefined;
}

/** Of a session that judges crashes. */
export function nothingJudged({ extent, traced: { run }, stop }: SessionResult): string | undefined {
  if (stop !== undefined) return undefined;
  const isEmpty = extent.pointsInAll === 0;
  return nothingTested({ run, isEmpty, hasStored: isEmpty && hasStored(run) });
}

/** The last line of what is said, behind the others. */
export const emptyLine = (empty: string | undefined): string => (empty === undefined ? "" : `\nblackout: ${empty}`);

/** The exit code where there were no findings. */
export const codeWithoutFindings = (empty: string | undefined, { allowEmpty = false }: EmptyFlags): number =>
  empty === undefined || allowEmpty ? exitCode.clean : exitCode.noVerdict;
