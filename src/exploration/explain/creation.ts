/**
 * Crashes while the program creates its file. Until a file is complete, recovery may not be able to make anything of it, and
 * there is nothing yet to lose: that is one finding of its own kind. Always:
 * - Decided by the point: the failing points before the first at which recovery succeeds with every store kept, and later
 *   crashes that leave the very contents of such a point. Which store was lost plays no part otherwise, so that a
 *   constructor's mistakes stay what they are.
 * - Every persistent file that is mapped by then was created by this run.
 * - Where recovery succeeds nowhere, nothing is creation.
 */

import { type Finding, fingerprintOf, type RuleInfo } from "../../crash/finding/index.ts";
import {
  type CrashSource,
  type FailurePoint,
  type Moment,
  type RecoveryMachine,
  RecoveryOutcomes,
  TraceCursor,
  verdictFails,
} from "../../crash/states/index.ts";
import type { TracedRun } from "../../session/subject/index.ts";
import type { JudgeOptions } from "./culprits.ts";
import { leavesPrefix } from "./earlier.ts";

/** What a crash during creation counts as. */
export const creationSeverities = ["error", "warning", "ignore"] as const;
export type CreationSeverity = (typeof creationSeverities)[number];

export const creationRule = (severity: CreationSeverity): RuleInfo => ({
  id: "creation-not-atomic",
  severity: severity === "error" ? "error" : "warning",
  title: "a crash during creation leaves what recovery fails on",
  sentence: "After a power cut before the file is complete, recovery fails on what is there of it.",
  advice:
    "create it under another name and rename it when it is complete, or let recovery begin anew; where it is created beforehand, say so with --setup.",
});

/** Points that are tried at most; a recovery that fails at all of them is not about creation. */
const mostPoints = 2000;

export interface Creation {
  /** The number of the first failure point after it, and the event before which the power is cut there. */
  readonly endPoint: number;
  readonly endEvent: number;
  /** The file, as the trace names it. */
  readonly path: string;
}

/** The files that are mapped at a moment, if this run created all of them. */
function createdFile(run: TracedRun, { mappings }: Moment, guestPath: (path: string) => string): string | undefined {
  const isNew = (path: string) => run.history.contentsAt(guestPath(path), 0) === undefined;
  return mappings.paths.every(isNew) ? mappings.paths[0] : undefined;
}

/** Undefined where recovery succeeds nowhere, or on a file that was there before. */
export function creationOf(
  run: TracedRun,
  source: CrashSource,
  points: { readonly count: number; point(number: number): FailurePoint },
  recovery: RecoveryMachine,
  options: JudgeOptions,
): Creation | undefined {
  const outcomes = new RecoveryOutcomes(recovery, source, options);
  const cursor = new TraceCursor(source);
  for (let number = 0; number < Math.min(points.count, mostPoints); number++) {
    const point = points.point(number);
    const moment = cursor.before(point.seq);
    const path = createdFile(run, moment, options.guestPath);
    if (path === undefined) return undefined;
    if (!verdictFails(outcomes.outcome(point, moment, []).verdict, options.expectExit))
      return { endPoint: number, endEvent: point.seq, path };
  }
  return undefined;
}

/** Whether a crash loses all that was stored from an event of the creation on, and nothing else. */
export const leavesCreation = (
  { trace }: CrashSource,
  { endEvent }: Creation,
  before: number,
  lost: ReadonlySet<number>,
): boolean => Math.min(...lost) <= endEvent && leavesPrefix(trace, before, lost);

/** One finding for all of them: told by the first that needs no lost store, if there is one. */
export function creationFinding(
  crashes: readonly Finding[],
  { path }: Creation,
  severity: "error" | "warning",
): readonly Finding[] {
  const shown = crashes.find(({ crash }) => crash?.lost.length === 0) ?? crashes[0];
  if (shown?.crash === undefined) return [];
  const { turning: _turning, strict: _strict, ...crash } = shown.crash;
  const rule = creationRule(severity);
  const { mark, frames } = crash.cut;
  const fingerprint = fingerprintOf(rule.id, frames);
  const count = crashes.reduce((sum, finding) => sum + finding.count, 0);
  const witness = { ...crash.witness, fingerprint };
  const { order: _order, ...finding } = shown;
  return [{ ...finding, rule, cause: mark, frames, count, fingerprint, crash: { ...crash, creating: path, witness } }];
}
