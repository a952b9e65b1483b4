/**
 * What a check says of cures: the flushes and fences that an error lacks, tried in the running code, as a change of the source.
 * Always: tries are bounded by what is counted, never by time, unless all of them were asked for (`--fix`); the same check gives
 * the same report. A check without errors pays nothing.
 */
import { BoundReached, type HostPorts, WorkBound } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import {
  curedBy,
  type Fix,
  mayBeCured,
  type PlacedRun,
  Repair,
  type RepairPorts,
  type SourcePatch,
  withinBound,
} from "../../engines/index.ts";
import { programFile, type SubjectOptions } from "../../session/subject/index.ts";
import { runSession, type SessionOptions, type SessionResult } from "../../session/work/index.ts";
import { alarmedPorts, type ProgramFlags } from "./program-options.ts";
import { recoveryWorkers, stopWords } from "./recoveries.ts";
import { errorsAmong, isNewer, openSources, ownCode } from "./repairs.ts";
import { Sources } from "./sources.ts";

export interface FixFlags extends Pick<ProgramFlags, "time" | "maxHostMemory" | "root"> {
  readonly source: readonly string[];
  readonly engine: readonly string[];
  /** All that it takes, or nothing; within a bound if undefined. */
  readonly fix?: boolean;
}

/** What a check that nobody asked for fixes may spend on them, in instructions of the guest: some seconds. */
const mostInstructions = 1_000_000_000;
/** What else a try takes, as so many instructions: by itself, for each event of the run, and for each crash state. */
const tryCost = { itself: 50_000_000, event: 100, state: 1000 } as const;

const costOfTry = ({ events, extent }: SessionResult): number =>
  tryCost.itself + tryCost.event * events + tryCost.state * extent.statesInAll;

interface TryPorts {
  readonly subject: SubjectOptions;
  readonly host: HostPorts;
  readonly errors: RepairPorts["errors"];
}

/**
 * The same check on the program with insertions; it neither explores nor keeps a journal nor tells more than what is wrong. Where
 * the work is bounded it stays in this thread: what several do of it depends on how it is split.
 */
function triesOf(result: SessionResult, options: SessionOptions, flags: FixFlags): TryPorts {
  const { goesOn: _1, resume: _2, tellMore: _3, tellWatched: _4, looksAtSetup: _5, time, ...rest } = options;
  const { notesCode: _6, ...subject } = options.subject;
  const bound = flags.fix ? undefined : new WorkBound(mostInstructions);
  const { time: _7, ...untimed } = flags;
  const host = { ...alarmedPorts(untimed), notice: () => {}, ...(bound && { spent: bound.spend }) };
  const limits = bound === undefined && time !== undefined ? { time } : {};
  const workers = bound === undefined ? recoveryWorkers() : undefined;
  const errors: RepairPorts["errors"] = async (tried, show) => {
    bound?.spend(costOfTry(result));
    const { findings, traced, stop } = await runSession(
      { ...rest, ...limits, subject: tried, journal: false },
      { host, workers, engineFiles: flags.engine, progress: () => {} },
    );
    if (stop !== undefined) throw new BoundReached(stopWords[stop]);
    show(traced);
    return errorsAmong(findings);
  };
  return { subject, host, errors };
}

/** A check's findings, those that insertions cure with what they are. */
export async function withFixes(
  result: SessionResult,
  options: SessionOptions,
  flags: FixFlags,
): Promise<readonly Finding[]> {
  const { findings, ownFindings, traced, stop } = result;
  const errors = errorsAmong(ownFindings);
  // By a schedule that was given, the program with insertions may not be able to go on.
  const isUsual = flags.fix || (options.subject.schedule === undefined && options.schedules === undefined);
  if (flags.fix === false || !isUsual || stop !== undefined || !errors.some(mayBeCured)) return findings;
  return withRepairs(findings, { errors, traced }, triesOf(result, options, flags), flags);
}

/**
 * Each finding that repair cures, alone or with another, with the change of the source that does. `found` is what a try without the
 * cure would find.
 */
async function withRepairs(
  findings: readonly Finding[],
  { errors, traced }: { readonly errors: readonly Finding[]; readonly traced: PlacedRun },
  ports: TryPorts,
  flags: FixFlags,
): Promise<readonly Finding[]> {
  const { subject, host } = ports;
  const program = programFile(subject, subject.program, host);
  const isOwn = ownCode(program, flags.source);
  const { open, newPatch } = await openSources(new Sources(flags, program), isOwn);
  const repair = new Repair(subject, { ...ports, isOwn, sources: open, wants: mayBeCured });
  const cured = await repair.cured(errors, traced);
  // What cures at the stores themselves is verified, too.
  const { fixes } = (await withinBound(repair.improved(cured))) ?? cured;
  const untried = flags.fix ? [] : cured.untried;
  const repairs = new Map<string, Finding["repair"]>(
    untried.map(({ fingerprint }) => [fingerprint, { bound: mostInstructions }]),
  );
  for (const fix of fixes) {
    const diff = diffOf(fix, newPatch(), program);
    for (const fingerprint of curedBy(fix)) repairs.set(fingerprint, { diff });
  }
  return findings.map((finding) => {
    const repair = repairs.get(finding.fingerprint);
    return repair === undefined ? finding : { ...finding, repair };
  });
}

/** Empty where not all of it has a place in the source, or the source is newer than the program: its lines may be others. */
function diffOf(fix: Fix, patch: SourcePatch, program: string): string {
  const isWhole = patch.add(fix).every(({ unplaced }) => unplaced === undefined);
  const changes = patch.changes();
  if (!isWhole || changes.some(({ path }) => isNewer(path, program))) return "";
  return changes.map(({ diff }) => diff).join("");
}
