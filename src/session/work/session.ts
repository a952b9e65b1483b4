/**
 * One session: a subject traced, watched by trace engines, its crashes judged by crash engines, and what they found. Every
 * engine gets workers, a journal, limits and progress from here.
 */
import { assert, type HostPorts, type InputError } from "../../base/index.ts";
import {
  confirmedByCrashes,
  type EarlyFinding,
  type Finding,
  withoutReportedPairs,
} from "../../crash/finding/index.ts";
import { cpuSeconds, monotonicSeconds, type WorkerProgram } from "../../host/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import {
  describeOutcome,
  type Places,
  Subject,
  type SubjectOptions,
  type TracedRun,
  type UserFunction,
  userFunctions,
  volatileFileLines,
} from "../subject/index.ts";
import { type AskedJudging, judgingFor, type Undisturbed } from "./clean-stop.ts";
import type { CrashEngine, Extent, LeadScene, PlacedPoints, TraceEngine } from "./engine.ts";
import { fileDigests } from "./file-digests.ts";
import { filesIdentity, identityOf, runIdentity } from "./identity.ts";
import { Journaling, type JournalOptions } from "./journaling.ts";
import { JudgedScenes } from "./judged-scenes.ts";
import { type News, NewsDesk } from "./news.ts";
import type { Fleet } from "./pool.ts";
import { type AddDetails, Remembered } from "./remembered.ts";
import { ScheduledRuns } from "./scheduled-runs.ts";
import { onlyInSetup } from "./set-up-stores.ts";
import { WatchedRun } from "./watched-run.ts";
import type { Done, Stop, WorkLimits } from "./work.ts";

export interface SessionOptions extends WorkLimits, JournalOptions {
  readonly subject: SubjectOptions;
  readonly judging: AskedJudging;
  readonly traceEngines: readonly TraceEngine[];
  readonly crashEngines: readonly CrashEngine[];
  /** It goes on where the others have judged everything; what it leaves undone counts for nothing. */
  readonly goesOn?: CrashEngine;
  /** An engine that has a use for the undisturbed recovery runs it. */
  readonly undisturbed?: Undisturbed;
  /** Whether to say which lines store to persistent memory in the set-up only; it runs once more for that. */
  readonly looksAtSetup?: boolean;
  /** Says more of each finding when everything is judged, for who wants to show it. */
  readonly addDetails?: AddDetails;
  /** Says more of what trace engines found, in every report; the scene is the program's run as in production. */
  readonly annotateTraceFindings?: AddDetails;
  /** Says what crashes make of all that was found; `isWhole`: every crash state was judged. */
  readonly settle?: (scene: LeadScene, findings: readonly Finding[], isWhole: boolean) => readonly Finding[];
  /** So many runs by schedules of chance are judged beside the program's own. */
  readonly schedules?: number;
}

export interface SessionPorts {
  readonly host: HostPorts;
  /** Without it, everything is judged in this thread. */
  readonly workers: WorkerProgram | undefined;
  /** Other computers, which judge in place of this one's workers. */
  readonly fleet?: Fleet | undefined;
  /** Modules that workers find engines of the user's own in. */
  readonly engineFiles?: readonly string[];
  progress(done: Done): void;
  /** What is known before the session ends, as soon as it is. */
  news?(news: News): void;
}

export interface SessionResult {
  readonly findings: readonly Finding[];
  /** The same as if no engine had gone on: what another session without that one finds. */
  readonly ownFindings: readonly Finding[];
  /** The program's run as in production, by no schedule of chance. */
  readonly traced: { readonly run: TracedRun; readonly places: Places };
  readonly events: number;
  readonly extent: Extent;
  /** Of the engine that went on. */
  readonly furtherExtent?: Extent;
  /** Lines of the program, as their frames, that stored to persistent memory in the set-up and not in the run. */
  readonly onlyInSetup?: readonly (readonly Frame[])[];
  /** Functions of the program's own files, where the subject notes what runs and all was judged. */
  readonly functions?: readonly UserFunction[];
  /** Failure points by place, where more was to be told. */
  readonly points?: readonly PlacedPoints[];
  /** Undefined when everything was judged. */
  readonly stop: Stop | undefined;
  readonly tested: number;
  readonly skipped: number;
  /** Where schedules were asked for: how many were run, and how many runs were like no other. */
  readonly schedules?: { readonly taken: number; readonly different: number };
  readonly seconds: { readonly before: number; readonly judging: number; readonly busy: number };
  /** What went wrong in something that the user gave an engine; told when everything else is. */
  readonly complaint: InputError | undefined;
  /** To be called once the findings are delivered: until then, the journal has them, and longer where this is not all of a check. */
  finish(isAll?: boolean): void;
}

/**
 * The run is the program's as in production. Where libpmemobj and its like would tell Valgrind what they do, engines that
 * want to hear it watch another run in which they do: else locks and transactions look like mistakes. Its events are kept where
 * more is to be told of what they find.
 */
function traceSubject(subject: Subject, engines: readonly TraceEngine[], keepsAll: boolean) {
  const deaf = engines.filter(({ wantsAnnotations }) => !wantsAnnotations);
  const hearing = engines.filter(({ wantsAnnotations }) => wantsAnnotations);
  const watched = new WatchedRun((tables) => subject.places(tables), engines);
  const run = subject.trace(watched.sinks);
  const { places } = watched;
  if (hearing.length === 0 || !run.madeRequests) return { run, places, watched };
  assert(deaf.length === 0, "engines that watch one session agree on whether they want annotations");
  const annotated = new WatchedRun((tables) => subject.places(tables), hearing);
  if (!keepsAll) {
    subject.watch(annotated.sinks, true);
    return { run, places, watched: annotated };
  }
  return { run, places, watched: annotated, watchedRun: subject.traceAnnotated(annotated.sinks) };
}

/** Digests take a while, and few sessions need them. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const enginesOf = ({ crashEngines, goesOn }: SessionOptions): readonly CrashEngine[] =>
  goesOn === undefined ? crashEngines : [...crashEngines, goesOn];

export async function runSession(options: SessionOptions, ports: SessionPorts): Promise<SessionResult> {
  const started = monotonicSeconds();
  let hurries = true;
  const unhurried = <T>(make: () => T): T => {
    hurries = false;
    const value = make();
    hurries = true;
    return value;
  };
  const host: HostPorts = { ...ports.host, alarm: () => hurries && ports.host.alarm?.() };
  const subject = new Subject(options.subject, host);
  const { notice } = ports.host;
  const journal = new Journaling(options, identityOf(subject, options.judging, enginesOf(options)), notice);
  const traced = traceSubject(subject, options.traceEngines, options.addDetails !== undefined);
  const { run, places } = traced;
  if (run.outcome?.kind !== "exit" || run.outcome.code !== 0)
    notice(
      `the program itself ${describeOutcome(run.outcome)}, before any power cut: what follows is of its run up to there`,
    );
  for (const line of volatileFileLines(run.fileUse, options.subject.pm)) notice(line);
  const judging = judgingFor(options.judging, subject, run, options.undisturbed);
  const input = subject.input.end();
  const read = subject.filesRead;
  const files = once(() => fileDigests(read, host.files));
  journal.begin(() => ({ files: filesIdentity(files()), run: runIdentity(run, input, judging.hangLimit) }));
  const scene: LeadScene = { subject, trace: run.trace, versions: run.history, judging, run, places, input, files };
  const { addDetails } = options;
  const news = newsOf(ports, traced);
  const context = { limits: options, started, journal, unhurried, ...ports, news };
  const remembered = addDetails && new Remembered(addDetails);
  const work = new JudgedScenes(options.crashEngines, context, remembered);
  const planned = monotonicSeconds();
  const cpuBefore = cpuSeconds();
  await work.judge(scene, "");
  const runs = await judgeSchedules(options, scene, work, notice);
  const { goesOn } = options;
  const before = work.findings;
  const furtherExtent =
    goesOn && work.stop === undefined ? await work.goOn(goesOn, scene, cpuSeconds() - cpuBefore) : undefined;
  const judged = monotonicSeconds();
  const { extent, stop, tested, skipped, busySeconds: busy } = work;
  const { annotateTraceFindings = (_scene, findings) => findings } = options;
  const watched = unhurried(() => annotateTraceFindings(scene, watchedFindings(traced, scene, addDetails)));
  const crashes = unhurried(() => remembered?.told(work.findings) ?? work.findings);
  const { settle = (_scene, findings) => findings } = options;
  const together = (found: readonly Finding[]) => {
    const confirmed = confirmedByCrashes(withoutReportedPairs([...found, ...watched]));
    return unhurried(() => settle(scene, confirmed, stop === undefined));
  };
  return {
    findings: together(crashes),
    ownFindings: together(before),
    traced: { run, places },
    events: run.trace.count,
    extent,
    ...(furtherExtent && { furtherExtent }),
    ...(options.looksAtSetup && stop === undefined && { onlyInSetup: unhurried(() => onlyInSetup(scene)) }),
    ...(options.subject.notesCode &&
      stop === undefined && { functions: unhurried(() => userFunctions(subject, places)) }),
    ...(remembered && { points: remembered.points }),
    stop,
    tested,
    skipped,
    ...(runs && { schedules: { taken: runs.taken, different: runs.different } }),
    seconds: { before: planned - started, judging: judged - planned, busy },
    complaint: traced.watched.complaint,
    finish: (isAll = true) => journal.end(stop !== undefined ? "stopped" : isAll ? "done" : "part"),
  };
}

/** Whoever waits hears of the run and of the rules' errors first. */
function newsOf({ news: tell }: SessionPorts, { run, watched }: ReturnType<typeof traceSubject>): NewsDesk {
  const news = new NewsDesk((each) => tell?.(each));
  news.tell({ kind: "traced", events: run.trace.count });
  if (tell !== undefined) for (const finding of errorsOf(watched.findings())) news.finding(finding);
  return news;
}

/** What the rules call an error before any crash is looked at, which may tell otherwise. */
const errorsOf = (findings: readonly Finding[]): readonly EarlyFinding[] =>
  findings
    .filter(({ rule }) => rule.severity === "error")
    .map(({ rule, frames, says, fingerprint }) => ({ rule, frames, says, mistakes: [fingerprint] }));

/** What trace engines found. Where they watched another run than the scene's, events have the numbers of that one. */
function watchedFindings(
  { watched, watchedRun }: ReturnType<typeof traceSubject>,
  scene: LeadScene,
  addDetails: AddDetails | undefined,
): readonly Finding[] {
  const findings = watched.findings();
  if (addDetails === undefined) return findings;
  if (watchedRun === undefined) return addDetails(scene, findings);
  const { trace, history } = watchedRun;
  return addDetails({ ...scene, trace, versions: history, run: watchedRun, places: watched.places }, findings);
}

/** The same again for every run by a schedule that is like none before it. */
async function judgeSchedules(
  { schedules = 0 }: SessionOptions,
  scene: LeadScene,
  work: JudgedScenes,
  notice: (line: string) => void,
): Promise<ScheduledRuns | undefined> {
  if (schedules === 0) return undefined;
  const runs = new ScheduledRuns(scene.subject, scene.run, notice);
  for (let seed = 1; seed <= schedules && work.stop === undefined; seed++) {
    const other = runs.take(seed);
    if (other === undefined) continue;
    const { run, places } = other;
    const fresh = await work.judge({ ...scene, trace: run.trace, versions: run.history, run, places }, ` ${seed}`);
    if (fresh > 0) notice(`schedule ${seed} shows what none before it did; --schedule ${seed} runs it alone`);
  }
  return runs;
}
