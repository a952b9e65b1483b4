/** What commands that run recoveries on crashes have in common: their options, and what they say of a session. */
import type { Command } from "commander";
import { baseName, counted, InputError } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import { type Witness, witnessText } from "../../crash/states/index.ts";
import { type CreationSeverity, creationSeverities } from "../../exploration/explain/index.ts";
import { cpuSeconds, peakMemoryBytes, stderrLine, writeText } from "../../host/index.ts";
import type { Coverage, Effort, Run, UncoveredStore } from "../../report/document/index.ts";
import { bareName, lostLinesText } from "../../report/document/index.ts";
import { type AskedJudging, defaultJournal, type SessionResult, type Stop } from "../../session/work/index.ts";
import { addFleetOptions, type FleetFlags } from "./fleet-flags.ts";
import { keepWitness } from "./kept-witnesses.ts";
import { collect, collectSome, oneOf, wholeNumber } from "./options.ts";
import { addScheduleOption, programCommand, type SubjectFlags, subjectOptions } from "./program-options.ts";

export interface RecoveryFlags extends SubjectFlags, FleetFlags {
  readonly expectExit: number;
  readonly oracle: "exit" | "output";
  readonly creation: CreationSeverity;
  readonly pmMode: "dax" | "msync";
  readonly platform: "px86" | "eadr" | "strict";
  readonly hangLimit?: number;
  readonly jobs?: number;
  readonly journal: string | false;
  readonly resume?: boolean;
  readonly witness?: string;
  readonly schedules?: number;
}

// biome-ignore format: columns stay aligned
export const recoveryCommand = (name: string): Command =>
  addFleetOptions(addScheduleOption(programCommand(name).optionsGroup("What is checked:"))
    .option("--schedules <n>",         "also judge this many runs with random schedules, which include threads' store buffers", wholeNumber("--schedules"))
    .option("--recover <command>",     "the recovery or checker to run after a crash (check: repeatable, each on what the one before left; default: the program again)", collectSome)
    .option("--setup <command>",       "run this first, untraced; its files are there when the program starts")
    .option("--expect-exit <n>",       "the exit code of a successful recovery", wholeNumber("--expect-exit", { most: 255 }), 0)
    .option("--oracle <what>",         "exit: recovery must exit well; output: and print what it prints after a clean stop", oneOf("--oracle", ["exit", "output"]), "exit")
    .option("--platform <what>",       "what survives: px86: what was flushed and fenced; eadr: every store; strict: stores in their order, perhaps late", oneOf("--platform", ["px86", "eadr", "strict"]), "px86")
    .option("--creation <severity>",   "crashes while the run creates its file are an error, a warning or left out (ignore)", oneOf("--creation", creationSeverities), "warning")
    .option("--pm <glob>",             "files that are persistent memory when mapped shared (repeatable; all of them if not given)", collect, [])
    .option("--pm-mode <mode>",        "dax: flushes persist; msync: only msync does, as for files without direct access", oneOf("--pm-mode", ["dax", "msync"]), "dax")
    .option("--hang-limit <n>",        "instructions a recovery may run (default: 20 times the undisturbed recovery)", wholeNumber("--hang-limit"))
    .option("--journal <dir>",         "keep results there until the check is done, so that --resume can continue it", defaultJournal)
    .option("--no-journal",            "keep nothing")
    .option("--resume",                "continue the check that the journal belongs to")
    .option("--witness <file>",        "write what blackout replay needs to reproduce each crash finding"));

/** Of commands that judge what each recovery leaves. */
export const addLeaksOption = (command: Command): Command =>
  command.option("--leaks", "look for objects of libpmemobj's pools that recovery leaves allocated and unreachable");

/** How recoveries are judged, as the user wants it. */
export const judgingOf = ({ expectExit, oracle, platform, hangLimit }: RecoveryFlags): AskedJudging => ({
  expectExit,
  oracle,
  platform,
  ...(hangLimit !== undefined && { hangLimit }),
});

/** Of the session: where its work is kept, and how much of it there may be. */
export function sessionLimits({ journal, resume, jobs, time, schedules }: RecoveryFlags) {
  if (resume && journal === false)
    throw new InputError("cli/resume", "--resume goes on with what --no-journal keeps none of: give one of them.");
  return {
    journal,
    ...(resume && { resume: true }),
    ...(jobs !== undefined && { jobs }),
    ...(time !== undefined && { time }),
    ...(schedules !== undefined && { schedules }),
  };
}

/** Behind what was covered: of how many runs. */
export const scheduleWords = ({ schedules }: Pick<SessionResult, "schedules">): string =>
  schedules === undefined
    ? ""
    : `; ${counted(schedules.taken, "schedule")}, ${counted(1 + schedules.different, "different run")}`;

export const stopWords: Readonly<Record<Stop, string>> = {
  interrupt: "interrupted",
  time: "stopped by --time",
  "host-memory": "stopped by --max-host-memory",
  "max-states": "stopped by --max-states",
  "max-executions": "stopped by --max-executions",
  first: "stopped by --stop first",
  tree: "stopped: what recoveries read no longer fits into memory",
  files: "not all explored: a recovery changes a persistent file by calls, or maps one that the program did not",
};

export const coverageOf = ({ extent, furtherExtent, onlyInSetup = [], stop }: SessionResult): Coverage => ({
  failurePoints: { judged: extent.points, total: extent.pointsInAll },
  crashStates: { judged: extent.states, total: extent.statesInAll },
  exhaustive: stop === undefined,
  ...(stop !== undefined && { stop }),
  ...(extent.lostLines !== undefined && { lostLines: extent.lostLines }),
  ...((extent.leftOut ?? 0) > 0 && { leftOut: extent.leftOut! }),
  ...((extent.uncovered ?? []).length > 0 && { uncovered: uncoveredIn(extent.uncovered!) }),
  ...(onlyInSetup.length > 0 && { onlyInSetup: uncoveredIn(onlyInSetup) }),
  ...(furtherExtent && {
    explored: {
      failurePoints: { judged: furtherExtent.points, total: furtherExtent.pointsInAll },
      recoveries: furtherExtent.states,
      ...(furtherExtent.lostLines !== undefined && { lostLines: furtherExtent.lostLines }),
    },
  }),
});

/** Each place once, as the source has it. */
function uncoveredIn(stacks: NonNullable<SessionResult["extent"]["uncovered"]>): readonly UncoveredStore[] {
  const places = stacks.map((frames) => {
    const { function: name, file, line } = frames.find((frame) => frame.file !== undefined) ?? frames[0] ?? {};
    return {
      ...(name !== undefined && { function: name }),
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
    };
  });
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
}

const shownFunctions = 8;

/** " (log.c:22)": of what only some lines of a function do, one of them. */
const placeIn = ({ file, line }: UncoveredStore): string =>
  file === undefined || line === undefined ? "" : ` (${baseName(file)}:${line})`;

const functionsIn = (places: readonly UncoveredStore[]): string => {
  const nameOf = ({ function: name }: UncoveredStore) => (name === undefined ? "code without a name" : bareName(name));
  const names = new Map(places.toReversed().map((place) => [nameOf(place), placeIn(place)]));
  const shown = [...names].reverse().slice(0, shownFunctions);
  const more = names.size > shownFunctions ? ` and ${names.size - shownFunctions} more` : "";
  return `${shown.map((words) => words.join("")).join(", ")}${more}`;
};

/** A line each, or none: what the findings say nothing of. */
export function uncoveredLines({ uncovered = [], onlyInSetup = [] }: Coverage): string {
  const lines = [
    ...(uncovered.length > 0
      ? [`no power cut fell on stores of ${functionsIn(uncovered)} before they were persisted`]
      : []),
    ...(onlyInSetup.length > 0
      ? [`no power cut falls on what --setup alone stores: in ${functionsIn(onlyInSetup)}`]
      : []),
  ];
  return lines.map((line) => `\nblackout: ${line}`).join("");
}

/** "explored every crash state of all 214 failure points", or of how many of them. */
export function everyState(
  done: string,
  { failurePoints: { judged, total }, lostLines }: Pick<Coverage, "failurePoints" | "lostLines">,
  recoveries: number,
): string {
  const points = judged === total ? `all ${total}` : `${judged} of ${total}`;
  const more = lostLines === undefined ? "" : ` and ${lostLinesText(lostLines)} of all`;
  return `${done} every crash state of ${points} failure points${more}, in ${counted(recoveries, "recovery", "recoveries")}`;
}

export const effortOf = ({ tested, skipped, seconds }: SessionResult): Effort => ({
  tested,
  skipped,
  time: [
    { name: "tracing and planning", seconds: seconds.before },
    { name: "judging crash states", seconds: seconds.judging },
  ],
});

export function writeWitnesses(file: string | undefined, findings: readonly Finding[]): void {
  if (file === undefined) return;
  const witnesses = findings.flatMap(({ crash }) => (crash === undefined ? [] : [crash.witness]));
  writeText(file, witnessText(witnesses));
  if (witnesses.length > 0) stderrLine(`blackout: to see the crashes again: blackout replay ${file}`);
}

/** How each crash is seen again: by the file that is written, or by what is kept of it. */
export const replayWords =
  ({ witness, bundle }: Pick<RecoveryFlags, "witness"> & { readonly bundle?: string }) =>
  (found: Witness): readonly string[] | undefined => {
    const kept = witness ?? bundle;
    if (kept !== undefined) return ["blackout", "replay", kept, "--finding", found.fingerprint];
    const name = keepWitness(found);
    return name === undefined ? undefined : ["blackout", "replay", name];
  };

/** What was run, for the report. */
export function runOf(
  command: string,
  flags: RecoveryFlags,
  program: readonly string[],
  { events }: SessionResult,
  engines: readonly string[],
): Run {
  const { recover, furtherRecoveries, thenCommand, setup } = subjectOptions(flags, program, false);
  return {
    command,
    engines,
    program,
    ...(recover && { recovery: recover }),
    ...(furtherRecoveries && { furtherRecoveries }),
    ...(thenCommand && { thenCommand }),
    ...(setup && { setup }),
    directory: process.cwd(),
    events,
  };
}

export const statistics = ({ events, tested, skipped, findings, extent, stop, seconds }: SessionResult) => ({
  events,
  tested,
  skipped,
  findings: findings.length,
  ...{ ...extent, uncovered: extent.uncovered?.length ?? 0 },
  stop,
  seconds: { ...seconds, cpu: cpuSeconds() },
  peakBytes: peakMemoryBytes(),
});
