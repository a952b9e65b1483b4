/** What commands have in common that go every way recovery can go: one recovery, one engine, and how they end. */
import type { Command } from "commander";
import { type HostPorts, InputError } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import { spokenCode } from "../../crash/recovery-tree/index.ts";
import { withHistories } from "../../exploration/explain/index.ts";
import { realPorts, stderrLine } from "../../host/index.ts";
import type { Coverage } from "../../report/document/index.ts";
import { programFile, type SubjectOptions } from "../../session/subject/index.ts";
import type { CrashEngine, SessionOptions, SessionResult } from "../../session/work/index.ts";
import { judge } from "../pipeline/index.ts";
import { deliver } from "./deliver.ts";
import { exitCode } from "./exit-codes.ts";
import { withFleet } from "./fleet-flags.ts";
import { codeWithoutFindings, emptyLine, nothingJudged } from "./nothing-tested.ts";
import { atLeastOne, collect } from "./options.ts";
import { alarmedPorts, programOptions, subjectOptions } from "./program-options.ts";
import { realPipeline } from "./real-pipeline.ts";
import {
  coverageOf,
  effortOf,
  everyState,
  judgingOf,
  type RecoveryFlags,
  recoveryCommand,
  replayWords,
  runOf,
  scheduleWords,
  sessionLimits,
  statistics,
  stopWords,
  writeWitnesses,
} from "./recoveries.ts";
import { type ReportFlags, showsHistories } from "./report-options.ts";

export interface ExplorationFlags extends RecoveryFlags, ReportFlags {
  readonly maxExecutions?: number;
  readonly checksum: readonly string[];
}

// biome-ignore format: columns stay aligned
export const explorationCommand = (name: string): Command =>
  recoveryCommand(name)
    .option("-j, --jobs <n>",          "recoveries run at once (default: as many as there are cores)", atLeastOne("--jobs"))
    .option("--max-executions <n>",    "run recovery at most this many times", atLeastOne("--max-executions"))
    .option("--checksum <function>",   "a function that computes a checksum, by name or MODULE+0xOFFSET: the bytes it reads count as all right or all wrong (repeatable)", collect, []);

export const assumption = (checksums: readonly string[]): string =>
  checksums.length === 0
    ? ""
    : `, assuming ${checksums.map(spokenCode).join(" and ")} ${checksums.length === 1 ? "has" : "have"} no collisions`;

/** Says what has no meaning here. */
export function refuseSeveral(name: string, { recover = [], rw }: ExplorationFlags): void {
  if (recover.length > 1)
    throw new InputError(
      `${name}/recover`,
      `blackout ${name} runs one recovery: give --recover once, or use blackout check.`,
    );
  if (rw.length > 0) stderrLine("blackout: --rw has no effect here: nothing of a check reaches the host's files");
}

/** What takes lines to persist independently of each other. */
export function refuseOrdered(what: string, { platform }: Pick<ExplorationFlags, "platform">): void {
  if (platform === "strict")
    throw new InputError(
      "explore/platform",
      `${what} takes lines to persist independently, which they do not with --platform strict: leave one of them out.`,
    );
}

export interface ExplorationSession {
  readonly engine: CrashEngine;
  readonly undisturbed?: SessionOptions["undisturbed"];
  /** Beside what the flags say. */
  readonly subject?: Partial<SubjectOptions>;
  readonly host?: HostPorts;
  /** Nothing is kept of it. */
  readonly unjournaled?: boolean;
  /** Nobody sees its findings as they are. */
  readonly unshown?: boolean;
}

export async function runExploration(
  flags: ExplorationFlags,
  program: readonly string[],
  { engine, undisturbed, subject, host = alarmedPorts(flags), unjournaled, unshown }: ExplorationSession,
): Promise<SessionResult> {
  const session = {
    subject: { ...subjectOptions(flags, program, false), ...subject },
    judging: judgingOf(flags),
    traceEngines: [],
    crashEngines: [engine],
    ...(undisturbed && { undisturbed }),
    ...(showsHistories(flags) && !unshown && { addDetails: withHistories }),
    ...sessionLimits(flags),
    ...(unjournaled && { journal: false as const, resume: false }),
  };
  return withFleet(flags, (fleet) => judge(session, { ...realPipeline(unshown ? {} : flags), ...fleet }, host));
}

/** "explored every crash state of all 214 failure points", or of how many of them. */
export function coverageLine(coverage: Coverage, done: string): string {
  const { stop } = coverage;
  const states = everyState(done, coverage, coverage.crashStates.judged);
  return stop === undefined ? `blackout: ${states}` : `blackout: ${stopWords[stop]}: ${states}`;
}

export interface EndedExploration {
  readonly command: string;
  readonly result: SessionResult;
  readonly engine: CrashEngine;
  readonly findings: readonly Finding[];
  /** What was covered, where that is not what the session says. */
  readonly coverage?: Coverage;
  /** What was done with crash states, or a line of its own that says what was covered. */
  readonly done: string | ((coverage: Coverage) => string);
  /** Behind the line that says what was covered. */
  readonly more?: string;
  /** Functions of which it is assumed that they take checksums, where they are more than those named. */
  readonly checksums?: () => readonly string[];
  /** Beside the session's own numbers. */
  readonly numbers: () => object | undefined;
}

/** Delivers what was found. Only what is exhaustive says that there is nothing. */
export function endExploration(
  flags: ExplorationFlags,
  program: readonly string[],
  {
    command,
    result,
    engine,
    findings,
    coverage = coverageOf(result),
    done,
    more = "",
    numbers,
    checksums = () => flags.checksum,
  }: EndedExploration,
): number {
  const covered = typeof done === "string" ? coverageLine(coverage, done) : done(coverage);
  const empty = nothingJudged(result);
  const code = deliver(flags, {
    findings,
    rules: engine.rules,
    facts: {
      run: runOf(command, flags, program, result, [engine.name]),
      coverage,
      effort: effortOf(result),
      ...(result.points && { points: result.points }),
      ...(empty !== undefined && { warnings: [empty] }),
      replayOf: replayWords(flags),
    },
    program: programFile(programOptions(flags), program, realPorts()),
    closing: `${covered}${scheduleWords(result)}${assumption(checksums())}${more}${emptyLine(empty)}`,
  });
  writeWitnesses(flags.witness, findings);
  result.finish();
  if (flags.stats) stderrLine(JSON.stringify({ ...statistics(result), ...numbers() }));
  if (result.stop === "interrupt") return exitCode.interrupted;
  return code ?? (result.stop === undefined ? codeWithoutFindings(empty, flags) : exitCode.noVerdict);
}
