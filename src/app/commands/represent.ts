/** `blackout represent`: of many updates that look alike, those whose crash states stand for all. */

import type { Command } from "commander";
import { counted } from "../../base/index.ts";
import {
  dotOf,
  type GroupedUpdates,
  KnownUpdates,
  pictureOf,
  type RepresentEngine,
  type RepresentStatistics,
  representEngine,
  svgOf,
} from "../../engines/index.ts";
import { stderrLine, writeText } from "../../host/index.ts";
import type { Coverage } from "../../report/document/index.ts";
import { type CrashEngine, journalOfPart, type SessionResult } from "../../session/work/index.ts";
import { shortCount } from "./exploration-words.ts";
import {
  type ExplorationFlags,
  endExploration,
  explorationCommand,
  refuseOrdered,
  refuseSeveral,
  runExploration,
} from "./explorations.ts";
import { inputsIn, joinedResults } from "./inputs.ts";
import { alarmedPorts } from "./program-options.ts";
import { addLeaksOption, coverageOf, stopWords } from "./recoveries.ts";
import { addReportOptions, parseWithConfig } from "./report-options.ts";

interface RepresentFlags extends ExplorationFlags {
  readonly link: boolean;
  readonly representativesOnly?: boolean;
  readonly dot?: string;
  readonly svg?: string;
  readonly draw?: string;
  readonly input?: string;
}

// biome-ignore format: columns stay aligned
export const representCommandLine = (): Command =>
  addReportOptions(addLeaksOption(explorationCommand("blackout represent"))
    .description("Runs a program, groups its updates of persistent objects that look alike, and explores the crash states of one update in each group.")
    .option("--no-link",               "treat objects that refer to each other separately (for comparison)")
    .option("--representatives-only",  "leave out updates with statements that no representative has (for comparison)")
    .option("--input <dir>",           "run the program once for each file there, which it reads from its standard input")
    .option("--dot <file>",            "draw the updates with their groups, for Graphviz")
    .option("--svg <file>",            "the same as a picture")
    .option("--draw <name>",           "draw only groups of a type or a function of this name")
    .option("--stats",                 "print one JSON line of statistics on stderr"));

/** "tested 11 of 121 update behaviours, for all 4 groups: 11978 of 1063001 crash states, in 16 recoveries". */
function coverageLine({ stop }: Coverage, numbers: RepresentStatistics): string {
  const { behaviours, behavioursTested, groups, crashStates, yatStates, executions } = numbers;
  const updates = `${behavioursTested} of ${counted(behaviours, "update behaviour")}, for ${counted(groups, "group")}`;
  const done = `${updates}: ${shortCount(crashStates)} of ${shortCount(yatStates)} crash states, in ${counted(executions, "recovery", "recoveries")}`;
  return stop === undefined ? `blackout: tested ${done}` : `blackout: ${stopWords[stop]} while testing ${done}`;
}

/** What the groups do not rest on, or what makes them large. */
function remarks({ stores, nameless, neverDurable, pointsLeftOut }: RepresentStatistics): string {
  const lines: string[] = [];
  if (nameless > 0)
    lines.push(
      `debug information names no object for ${nameless} of ${counted(stores, "store")}: they are distinguished by instruction, callers and place in the line`,
    );
  if (neverDurable > 0)
    lines.push(
      `${counted(neverDurable, "store")} ${neverDurable === 1 ? "is" : "are"} never persisted: the updates they are part of last to the end of the run`,
    );
  if (pointsLeftOut > 0)
    lines.push(`of updates that last long, ${counted(pointsLeftOut, "failure point")} were left out`);
  return lines.map((line) => `\nblackout: ${line}`).join("");
}

/** Writes the pictures that are wanted. */
function draw({ dot, svg, draw: name }: RepresentFlags, updates: GroupedUpdates): void {
  if (dot === undefined && svg === undefined) return;
  const picture = pictureOf(updates, name);
  if (picture.length === 0)
    stderrLine(`blackout: no update is of a type or a function ${name ?? ""}: nothing is drawn`);
  if (dot !== undefined) writeText(dot, dotOf(picture));
  if (svg !== undefined) writeText(svg, svgOf(picture));
}

/** Not every crash state was judged, whatever else was. */
const coverageIn = (result: SessionResult): Coverage => ({ ...coverageOf(result), exhaustive: false });

const engineOf = (flags: RepresentFlags): RepresentEngine => {
  const { maxExecutions, checksum: checksums, platform, creation, link: linked, representativesOnly = false } = flags;
  return representEngine({
    checksums,
    platform,
    creation,
    linked,
    everyStatement: !representativesOnly,
    ...(flags.input !== undefined && { known: new KnownUpdates() }),
    ...(maxExecutions !== undefined && { maxExecutions }),
  });
};

/** One session; with inputs, one for each with a journal of its own, which have their groups in common. */
async function sessions(
  flags: RepresentFlags,
  program: readonly string[],
  engine: RepresentEngine,
): Promise<SessionResult> {
  // Threads have updates of their own, in the order that they know of.
  const subject = { meetings: true };
  const session = { engine: engine as CrashEngine, undisturbed: engine.undisturbed, subject };
  if (flags.input === undefined) return runExploration(flags, program, session);
  const results: SessionResult[] = [];
  const ports = alarmedPorts(flags);
  for (const [at, { bytes }] of inputsIn(flags.input).entries()) {
    const host = { ...ports, standardInput: () => ports.inputOf(bytes) };
    const journal = journalOfPart(flags.journal, at + 1);
    results.push(await runExploration({ ...flags, journal }, program, { ...session, host }));
    if (results.at(-1)!.stop !== undefined) break;
  }
  return joinedResults(results);
}

export async function representCommand(args: readonly string[]): Promise<number> {
  const command = representCommandLine();
  parseWithConfig(command, "represent", args);
  const flags = command.opts<RepresentFlags>();
  refuseSeveral("represent", flags);
  refuseOrdered("blackout represent", flags);
  const engine = engineOf(flags);
  const result = await sessions(flags, command.args, engine);
  const numbers = engine.statistics()!;
  draw(flags, engine.updates()!);
  return endExploration(flags, command.args, {
    command: "represent",
    result,
    engine: engine as CrashEngine,
    findings: result.findings,
    coverage: coverageIn(result),
    done: (coverage) => coverageLine(coverage, numbers),
    more: remarks(numbers),
    numbers: () => numbers,
  });
}
