/**
 * Crashes while the program creates its file. Until a file is complete, recovery may not be able to make anything of it, and
 * there is nothing yet to lose: that is one finding of its own kind. Always:
 * - A creation begins with the first store, and only where recovery fails on the file as it is then, whatever was
 *   printed before. It ends with the first
 *   failure point at which recovery succeeds with every store kept, or with the first promise.
 * - It is decided by the point: what fails at its points; and later crashes, before any promise, that leave contents which
 *   recovery failed on when they were all there was. Which store was lost plays no part otherwise, so that a constructor's
 *   mistakes stay what they are.
 * - A recovery that does not end is an error, whatever it looks at.
 * - Every persistent file that is mapped by then was created by this run.
 * - Where recovery succeeds nowhere, nothing is creation.
 */

import { type Finding, fingerprintOf, type RuleInfo } from "../../crash/finding/index.ts";
import {
  type CrashSource,
  type FailurePoint,
  type Moment,
  type OutcomeOptions,
  type RecoveryMachine,
  RecoveryOutcomes,
  TraceCursor,
  type Verdict,
  verdictFails,
} from "../../crash/states/index.ts";
import { pathFromText } from "../../machine/index.ts";
import type { TracedRun } from "../../session/subject/index.ts";
import type { Trace } from "../../trace/events/index.ts";
import { pointAt } from "./blame.ts";
import { leavesPrefix } from "./earlier.ts";
import { beginningOf, Promises } from "./promises.ts";

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

interface Points {
  readonly count: number;
  point(number: number): FailurePoint;
}

/** Whether a recovery that ends so may say of a file that it is not complete. */
const canRefuse = ({ kind }: Pick<Verdict, "kind">): boolean => kind === "exit" || kind === "signal";

/** Asks how recovery ends with every store kept. */
class FullStates {
  readonly #outcomes: RecoveryOutcomes;
  readonly #cursor: TraceCursor;
  readonly #expectExit: number;

  constructor(source: CrashSource, recovery: RecoveryMachine, options: OutcomeOptions) {
    this.#outcomes = new RecoveryOutcomes(recovery, source, options);
    this.#cursor = new TraceCursor(source);
    this.#expectExit = options.expectExit;
  }

  moment({ seq }: FailurePoint): Moment {
    return this.#cursor.before(seq);
  }

  fails(point: FailurePoint): boolean {
    return verdictFails(this.#verdict(point), this.#expectExit);
  }

  refuses(point: FailurePoint, moment = this.moment(point)): boolean {
    const verdict = this.#verdict(point, moment);
    return verdictFails(verdict, this.#expectExit) && canRefuse(verdict);
  }

  #verdict(point: FailurePoint, moment = this.moment(point)): Verdict {
    return this.#outcomes.outcome(point, moment, []).verdict;
  }
}

/** creating: recovery has not succeeded yet; complete: it has, and nobody was told. */
export type CreationStage = "creating" | "complete" | "promised";

interface CreationEnd {
  /** The number of the first failure point after it, and the event before which the power is cut there. */
  readonly endPoint: number;
  readonly endEvent: number;
  /** The file, as the trace names it. */
  readonly path: string;
}

export class Creation {
  readonly #end: CreationEnd;
  readonly #trace: Trace;
  readonly #points: Points;
  readonly #full: FullStates;
  readonly #promises: Promises;

  constructor(end: CreationEnd, trace: Trace, points: Points, full: FullStates, promises: Promises) {
    this.#end = end;
    this.#trace = trace;
    this.#points = points;
    this.#full = full;
    this.#promises = promises;
  }

  get endPoint(): number {
    return this.#end.endPoint;
  }
  get endEvent(): number {
    return this.#end.endEvent;
  }
  get path(): string {
    return this.#end.path;
  }

  stageOf(number: number): CreationStage {
    if (number < this.endPoint) return "creating";
    return this.#promises.madeBy(this.#points.point(number)) ? "promised" : "complete";
  }

  /** Whether a crash belongs to it: at a point, with these stores lost, where recovery ended so. */
  has(number: number, verdict: Pick<Verdict, "kind">, lost: () => ReadonlySet<number>): boolean {
    if (!canRefuse(verdict)) return false;
    const stage = this.stageOf(number);
    return stage === "complete" ? this.#isLeft(this.#points.point(number).seq, lost()) : stage === "creating";
  }

  /** Whether a crash at a later point leaves what recovery refused during the creation. */
  #isLeft(before: number, lost: ReadonlySet<number>): boolean {
    const from = Math.min(...lost);
    if (from >= this.endEvent || !leavesPrefix(this.#trace, before, lost)) return false;
    return this.#full.refuses(pointAt(from));
  }
}

/** The files that are mapped at a moment, if this run created all of them. */
function createdFile(run: TracedRun, { mappings }: Moment): string | undefined {
  const isNew = (path: string) => run.history.contentsAt(pathFromText(path), 0) === undefined;
  return mappings.paths.every(isNew) ? mappings.paths[0] : undefined;
}

/** Undefined where recovery takes the file as it was before the first store, or succeeds nowhere, or where the file was there before. */
export function creationOf(
  run: TracedRun,
  source: CrashSource,
  points: Points,
  recovery: RecoveryMachine,
  options: OutcomeOptions,
): Creation | undefined {
  const full = new FullStates(source, recovery, options);
  const beginning = beginningOf(source.trace);
  if (beginning === undefined) return undefined;
  const start = pointAt(beginning.store);
  const begun = full.moment(start);
  if (createdFile(run, begun) === undefined) return undefined;
  const promises = new Promises(run, source, beginning, begun.mappings.paths);
  if (!full.refuses(start)) return undefined;
  const unpromised = { ...full.moment(start), acknowledged: [] };
  if (!full.refuses({ ...start, version: promises.unpromised }, unpromised)) return undefined;
  const end = endOf(run, points, full, promises);
  return end && new Creation(end, source.trace, points, full, promises);
}

function endOf(run: TracedRun, points: Points, full: FullStates, promises: Promises): CreationEnd | undefined {
  let end: CreationEnd | undefined;
  for (let number = 0; number < Math.min(points.count, mostPoints); number++) {
    const point = points.point(number);
    const path = end?.path ?? createdFile(run, full.moment(point));
    if (path === undefined) return undefined;
    const succeeds = !full.fails(point);
    if (succeeds || promises.madeBy(point)) end ??= { endPoint: number, endEvent: point.seq, path };
    if (succeeds) return end;
  }
  return undefined;
}

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
