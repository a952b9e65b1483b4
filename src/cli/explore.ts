/** `blackout explore`: every crash state of a program's run, by what its recovery reads of it. */

import type { Command } from "commander";
import { InputError } from "../base/index.ts";
import { enumerateEngine, exploreEngine, jaaruEngine } from "../engines/index.ts";
import { monotonicSeconds, realPorts, stderrLine, stdoutLine } from "../host/index.ts";
import type { Coverage } from "../report/index.ts";
import { programFile, Subject } from "../subject/index.ts";
import { type CrashEngine, judgingFor, runSession, type SessionResult } from "../work/index.ts";
import { deliver } from "./deliver.ts";
import { exitCode } from "./exit-codes.ts";
import { atLeastOne, collect, oneOf } from "./options.ts";
import { alarmedPorts, programOptions, subjectOptions } from "./program-options.ts";
import { Progress } from "./progress.ts";
import {
  coverageOf,
  effortOf,
  judgingOf,
  type RecoveryFlags,
  recoveryCommand,
  recoveryWorkers,
  replayWords,
  runOf,
  scheduleWords,
  sessionLimits,
  statistics,
  stopWords,
  writeWitnesses,
} from "./recoveries.ts";
import { addReportOptions, parseWithConfig, type ReportFlags } from "./report-options.ts";

interface ExploreFlags extends RecoveryFlags, ReportFlags {
  readonly enumerate?: boolean;
  readonly checksum: readonly string[];
  readonly estimate?: boolean;
  readonly jaaruLike?: boolean;
  readonly maxExecutions?: number;
}

// biome-ignore format: columns stay aligned
export const exploreCommandLine = (): Command =>
  addReportOptions(recoveryCommand("blackout explore")
    .description("Runs a program and looks at every state that a crash can leave of its persistent memory, by what its recovery reads.")
    .option("-j, --jobs <n>",          "recoveries run at once (default: as many as there are cores)", atLeastOne("--jobs"))
    .option("--max-executions <n>",    "run recovery only so often", atLeastOne("--max-executions"))
    .option("--checksum <function>",   "a function that takes a checksum, by name or MODULE+0xOFFSET: what it reads counts as whole or not (repeatable)", collect, [])
    .option("--estimate",              "say how many failure points and crash states there are, and run nothing but the undisturbed recovery")
    .option("--enumerate",             "run recovery on every crash state, one by one (slow: to compare)")
    .option("--jaaru-like",            "one recovery for each failure point and choice of stores (slow: to compare)")
    .option("--stats",                 "print one JSON line of statistics on stderr"));

/** "every crash state of all 214 failure points", or of how many of them. */
function coverageLine({ failurePoints: points, crashStates: ways, stop }: Coverage): string {
  if (stop === undefined)
    return `blackout: explored every crash state of all ${points.total} failure points, in ${ways.judged} recoveries`;
  return `blackout: ${stopWords[stop]}: explored every crash state of ${points.judged} of ${points.total} failure points, in ${ways.judged} recoveries`;
}

const assumption = (checksums: readonly string[]): string =>
  checksums.length === 0 ? "" : `, assuming ${checksums.join(" and ")} has no collisions`;

async function runExplore(flags: ExploreFlags, program: readonly string[]) {
  const { maxExecutions, checksum: checksums, platform, creation } = flags;
  const explore = exploreEngine({
    checksums,
    platform,
    creation,
    ...(maxExecutions !== undefined && { maxExecutions }),
  });
  const engine = (
    flags.enumerate ? enumerateEngine(platform) : flags.jaaruLike ? jaaruEngine(platform, creation) : explore
  ) as CrashEngine;
  const progress = new Progress();
  const options = {
    subject: subjectOptions(flags, program, false),
    judging: judgingOf(flags),
    traceEngines: [],
    crashEngines: [engine],
    ...(engine.name === explore.name && { undisturbed: explore.undisturbed }),
    ...sessionLimits(flags),
  };
  const result = await runSession(options, {
    host: alarmedPorts(flags),
    workers: recoveryWorkers(),
    progress: (done) => progress.update(done),
  }).finally(() => progress.end());
  return { result, engine, statistics: () => explore.statistics() };
}

/** "There are 29 failure points with 379135 crash states …": what an exploration would have before it. */
function estimate(flags: ExploreFlags, program: readonly string[]): number {
  const subject = new Subject(subjectOptions(flags, program, false), alarmedPorts(flags));
  const run = subject.trace([]);
  const engine = exploreEngine({ platform: flags.platform, checksums: flags.checksum });
  judgingFor(judgingOf(flags), subject, run, engine.undisturbed);
  const { points, states, mostOpen, contents, seconds } = engine.estimate(run, subject, monotonicSeconds);
  stdoutLine(
    `There are ${points} failure points with ${states} crash states; lines have ${contents} contents in all, and at most ${mostOpen} lines are open at once. One recovery takes about ${seconds.toPrecision(2)} s: ${points} of them, about as many as there are points where little that is not persisted is read, take ${Math.ceil(points * seconds)} s.`,
  );
  return exitCode.clean;
}

/** Only what is exhaustive says that there is nothing. */
function endOf({ stop }: SessionResult, found: number | undefined): number {
  if (stop === "interrupt") return exitCode.interrupted;
  return found ?? (stop === undefined ? exitCode.clean : exitCode.noVerdict);
}

export async function exploreCommand(args: readonly string[]): Promise<number> {
  const command = exploreCommandLine();
  parseWithConfig(command, "explore", args);
  const flags = command.opts<ExploreFlags>();
  if ((flags.recover ?? []).length > 1)
    throw new InputError(
      "explore/recover",
      "blackout explore runs one recovery: give --recover once, or use blackout check.",
    );
  if (flags.rw.length > 0) stderrLine("blackout: --rw has no effect here: nothing of a check reaches the host's files");
  if (flags.estimate) return estimate(flags, command.args);
  const { result, engine, statistics: own } = await runExplore(flags, command.args);
  const coverage = coverageOf(result);
  const code = deliver(flags, {
    findings: result.findings,
    rules: engine.rules,
    facts: {
      run: runOf("explore", flags, command.args, result, [engine.name]),
      coverage,
      effort: effortOf(result),
      replayOf: replayWords(flags),
    },
    program: programFile(programOptions(flags), command.args, realPorts()),
    closing: `${coverageLine(coverage)}${scheduleWords(result)}`,
  });
  writeWitnesses(flags.witness, result.findings);
  result.finish();
  if (flags.stats) stderrLine(JSON.stringify({ ...statistics(result), ...own() }));
  return endOf(result, code);
}
