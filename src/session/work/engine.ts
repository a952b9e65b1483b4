/**
 * What an engine is: a policy over crashes, with its work in units. The session (session.ts) gives every engine workers, a
 * journal, progress, limits, suppressions and reports. Always:
 * - What is said of a unit depends on the scene and the unit, not on who judged what before: units may be split in any
 *   way, over any number of threads, and be taken up again after an interruption.
 * - Setups, units, hints and results are plain data: they go to other threads and into journals.
 */
import type { InputError } from "../../base/index.ts";
import type { CrashFacts, Draft, EarlyFinding, Finding, RecoveryWays, RuleInfo } from "../../crash/finding/index.ts";
import type { FileVersions, Judging } from "../../crash/states/index.ts";
import type { Frame, SinkFactory, Trace } from "../../trace/events/index.ts";
import type { Places, Subject, TracedRun } from "../subject/index.ts";

/** What engines look at, in the leading thread as in a worker. */
export interface Scene {
  readonly subject: Subject;
  readonly trace: Trace;
  readonly versions: FileVersions;
  readonly judging: Judging;
}

/** In the leading thread, which has the run itself and knows where its events came from. */
export interface LeadScene extends Scene {
  readonly run: TracedRun;
  readonly places: Places;
  /** What program and recovery read from standard input. */
  readonly input: Uint8Array;
  /** Digests of the host's files that the traced run and an undisturbed recovery read, by path. */
  readonly files: () => Readonly<Record<string, string>>;
}

export interface EngineInfo {
  /** As journals name it. */
  readonly name: string;
  /** What no findings mean: that there are none within what was covered, or only that none turned up. */
  readonly silence: "proof" | "evidence";
  readonly rules: readonly RuleInfo[];
}

/** What every result has, whatever else the engine puts into it. */
export interface UnitResult<Unit> {
  /** What was judged; less than was asked when it was stopped. */
  readonly unit: Unit;
  /** What was not: it is handed out again. */
  readonly rest?: Unit;
  /** Items that took a run; what was known answered for the others. */
  readonly tested: number;
}

/** How much there is to judge, and how much of it was. */
export interface Extent {
  readonly points: number;
  readonly pointsInAll: number;
  readonly states: number;
  readonly statesInAll: number;
  /** Where not all was judged: at every point, each crash state in which at most so many lines lose stores was. */
  readonly lostLines?: number;
  /** More crash states at the points that were looked at, which a sample was taken instead of. */
  readonly leftOut?: number;
  /** Places of stores that no power cut fell on while they were open. */
  readonly uncovered?: readonly (readonly Frame[])[];
}

/** A place before which the power was cut, with all the times that the program came by. */
export interface PlacedPoints {
  readonly frames: readonly Frame[];
  /** What the power was cut before: an event of this kind, a file call, or the end. */
  readonly before: string;
  /** The first time. */
  readonly event: number;
  /** Crash states there, how many of them were judged, and how many of those recovery fails on. */
  readonly states: number;
  readonly judged: number;
  readonly failing: number;
}

export interface PlanLimits {
  /** Only so many items are handed out, the first ones. */
  readonly maxItems: number;
  /** The time may be up before all is done: what is handed out first is a sample of the whole. */
  readonly isTimed: boolean;
}

/** Limits that plans have of their own: recoveries run, the first error, what can be kept of recoveries, what they do to files by calls. */
export type PlanLimit = "max-executions" | "first" | "tree" | "files";

/** One engine's work on one scene. Results come in any order, and some of them before any unit is asked for. */
export interface Plan<Setup, Unit, Hint, Result extends UnitResult<Unit>> {
  /** For each thread that judges, once. */
  readonly setup: Setup;
  /** Items in all, in the engine's own measure. */
  readonly items: number;
  /** Items judged so far, and how many of them took a run. */
  readonly done: number;
  readonly tested: number;
  /** Findings so far, for progress. */
  readonly found: number;
  /** The next unit of at most so many items; undefined when none is left to hand out. */
  next(items: number): Unit | undefined;
  sizeOf(unit: Unit): number;
  /** What is known by now that spares work on this unit. */
  hint(unit: Unit): Hint;
  /** Versions of files that judging the unit needs. */
  versionsOf(unit: Unit): Iterable<number>;
  add(result: Result): void;
  readonly extent: Extent;
  /** Failure points by place, for who shows them. */
  placedPoints?(): readonly PlacedPoints[];
  /** How recoveries part at the crash that shows a finding, where this plan knows. */
  waysAt?(crash: CrashFacts): RecoveryWays | undefined;
  /** Another engine's finding of the same scene, with what this plan knows of its crash. */
  joined?(finding: Finding): Finding;
  /** A limit of the plan's own, while it hands out nothing more because of it. */
  readonly limit?: PlanLimit | undefined;
  /** Findings that were explained since this was asked last. */
  news?(): readonly EarlyFinding[];
  /** When the work is over or was stopped. `told`: fingerprints of what need not be told again. */
  findings(told?: ReadonlySet<string>): readonly Finding[];
}

export interface Judge<Unit, Hint, Result> {
  /** Once `stopped` says so, judging ends after the item under way. */
  judge(unit: Unit, hint: Hint, stopped: () => boolean): Result;
}

/** An engine that judges what crashes leave. */
export interface CrashEngine<
  Setup = unknown,
  Unit = unknown,
  Hint = unknown,
  Result extends UnitResult<Unit> = UnitResult<Unit>,
> extends EngineInfo {
  /** Its options that results depend on, as text. */
  readonly identity: string;
  /** Once, in the leading thread. */
  plan(scene: LeadScene, limits: PlanLimits): Plan<Setup, Unit, Hint, Result>;
  /** Once in each thread that judges, the leading one among them. */
  start(setup: Setup, scene: Scene): Judge<Unit, Hint, Result>;
}

/** An engine that sees the events of one run as they happen, and faces no choices. */
export interface TraceEngine extends EngineInfo {
  /** Whether it wants to hear what the program tells Valgrind: then it sees a run in which that is answered. */
  readonly wantsAnnotations: boolean;
  begin(places: () => Places): TraceWatch;
}

export interface TraceWatch {
  readonly sinks: readonly SinkFactory[];
  /** When the trace has ended. */
  drafts(): readonly Draft[];
  /** What went wrong in something that the user gave the engine; told when everything else is. */
  readonly complaint: InputError | undefined;
}
