/**
 * What a check says of cures: the flushes and fences that an error lacks, tried in the running code, as a change of the source.
 * Always: tries are bounded by what is counted, and not by time before the command's own is over; the same check gives the same
 * report. Where its time ends them, what was found stays. A check without errors pays nothing.
 */
import { BoundReached, WorkBound } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import {
  curedBy,
  type Fix,
  mayBeCured,
  Repair,
  type RepairPorts,
  unaddedStores,
  withinBound,
  withoutUnadded,
} from "../../engines/index.ts";
import type { SessionOptions, SessionResult } from "../../session/work/index.ts";
import type { CheckOptions } from "./check.ts";
import { isNewer } from "./open-sources.ts";
import type { PipelinePorts } from "./ports.ts";
import { asBound, errorsAmong, judgedAnew, type OpenedProgram, openProgram, type TrySession } from "./tries.ts";

type FixChoice = Pick<CheckOptions, "fixes" | "source" | "engineFiles">;

/** What a check that nobody asked for fixes may spend on them, in instructions of the guest: some seconds. */
const mostInstructions = 1_000_000_000;
/** What else a try takes, as so many instructions: by itself, for each event of the run, and for each crash state. */
const tryCost = { itself: 50_000_000, event: 100, state: 1000 } as const;

const costOfTry = ({ events, extent }: SessionResult): number =>
  tryCost.itself + tryCost.event * events + tryCost.state * extent.statesInAll;

/** A check's findings, those that insertions cure with what they are. */
export async function withFixes(
  result: SessionResult,
  session: SessionOptions,
  choice: FixChoice,
  ports: PipelinePorts,
): Promise<readonly Finding[]> {
  const { findings, stop } = result;
  const { fixes } = choice;
  // By a schedule that was given, the program with insertions may not be able to go on.
  const isUsual = fixes === "all" || (session.subject.schedule === undefined && session.schedules === undefined);
  if (fixes === "none" || !isUsual || stop !== undefined) return findings;
  const errors = errorsAmong(result.ownFindings);
  const added = await additionsFor(errors, session, choice, ports);
  const isTried = withoutUnadded(errors).some(mayBeCured);
  const repairs = isTried && (await withinBound(repairsOf(result, session, choice, ports).catch(asBound)));
  return findings.map((finding) => {
    const repair = added.get(finding.fingerprint) ?? (repairs || undefined)?.get(finding.fingerprint);
    return repair === undefined ? finding : { ...finding, repair };
  });
}

type Repairs = ReadonlyMap<string, Finding["repair"]>;

/** What adds a store to its transaction: the source says it, and nobody has built it. */
async function additionsFor(
  errors: readonly Finding[],
  { subject }: SessionOptions,
  { source }: FixChoice,
  ports: PipelinePorts,
): Promise<Repairs> {
  const stores = unaddedStores(errors);
  if (stores.length === 0) return new Map();
  const opened = await openProgram(subject, source, ports.host({}));
  return new Map(
    stores.flatMap(({ finding, shownBy }) => {
      const patch = opened.newPatch();
      patch.addRange(finding.frames);
      const proposed = diffTo(patch, opened);
      return proposed === "" ? [] : [finding, ...shownBy].map((one) => [one.fingerprint, { proposed }] as const);
    }),
  );
}

/** The session of the check without its exploration and without what only its report shows; its time is the host's to tell. */
function trySession(options: SessionOptions): TrySession {
  const {
    goesOn: _1,
    resume: _2,
    addDetails: _3,
    annotateTraceFindings: _4,
    looksAtSetup: _5,
    time: _6,
    ...rest
  } = options;
  return rest;
}

/** By fingerprint, each finding that repair cures, alone or with another, with the change of the source that does. */
async function repairsOf(
  result: SessionResult,
  session: SessionOptions,
  { fixes, source, engineFiles }: FixChoice,
  ports: PipelinePorts,
): Promise<Repairs> {
  const { notesCode: _, ...subject } = session.subject;
  const bound = fixes === "all" ? undefined : new WorkBound(mostInstructions);
  const host = { ...ports.host({}), notice: () => {}, ...(bound && { spent: bound.spend }) };
  const tryPorts = {
    ...ports,
    // What several threads do of bounded work depends on how it is split.
    workers: bound === undefined ? ports.workers : undefined,
    tryHost: () => host,
    engineFiles,
    stopped: (stop: string) => new BoundReached(stop),
  };
  const errors: RepairPorts["errors"] = async (tried, show) => {
    bound?.spend(costOfTry(result));
    const { findings, traced } = await judgedAnew(trySession(session), tried, tryPorts).catch(asBound);
    show(traced);
    return errorsAmong(findings);
  };
  const opened = await openProgram(subject, source, host);
  const { isOwn, open: sources } = opened;
  const repair = new Repair(subject, { host, errors, isOwn, sources, wants: mayBeCured });
  const cured = await repair.cured(errorsAmong(result.ownFindings), result.traced);
  // What cures at the stores themselves is verified, too.
  const { fixes: found } = (await withinBound(repair.improved(cured))) ?? cured;
  const untried = bound === undefined ? [] : cured.untried;
  return new Map<string, Finding["repair"]>([
    ...untried.map(({ fingerprint }) => [fingerprint, { bound: mostInstructions }] as const),
    ...found.flatMap((fix) => {
      const diff = diffOf(fix, opened);
      return curedBy(fix).map((fingerprint) => [fingerprint, { diff }] as const);
    }),
  ]);
}

/** Empty where not all of it has a place in the source, or the source is newer than the program: its lines may be others. */
function diffOf(fix: Fix, opened: OpenedProgram): string {
  const patch = opened.newPatch();
  return patch.add(fix).every(({ unplaced }) => unplaced === undefined) ? diffTo(patch, opened) : "";
}

function diffTo(patch: ReturnType<OpenedProgram["newPatch"]>, { program }: OpenedProgram): string {
  const changes = patch.changes();
  return changes.some(({ path }) => isNewer(path, program)) ? "" : changes.map(({ diff }) => diff).join("");
}
