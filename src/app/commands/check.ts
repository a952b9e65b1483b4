/** `blackout check`: cuts the power at a program's failure points and runs its recovery on what a crash leaves. */
import type { Command } from "commander";
import { placedPoints } from "../../engines/index.ts";
import { realPorts, stderrLine, stdoutLine } from "../../host/index.ts";
import { type Coverage, isAllExplored } from "../../report/document/index.ts";
import { pointTreeText } from "../../report/render/index.ts";
import { programFile, Subject } from "../../session/subject/index.ts";
import type { SessionResult } from "../../session/work/index.ts";
import { type Checked, type CheckOptions, checkProgram } from "../pipeline/index.ts";
import { closingLines } from "./check-closing.ts";
import { deliver, ownModule } from "./deliver.ts";
import { loadEngines } from "./engine-files.ts";
import { exitCode } from "./exit-codes.ts";
import { updatesOf } from "./exploration-words.ts";
import { withFleet } from "./fleet-flags.ts";
import { type CheckedInputs, checkInputs } from "./inputs.ts";
import { ownFunctions } from "./never-ran.ts";
import { codeWithoutFindings, nothingJudged } from "./nothing-tested.ts";
import { atLeastOne, collect, oneOf, wholeNumber, withExamples } from "./options.ts";
import { alarmedPorts, programOptions, subjectOptions } from "./program-options.ts";
import { realPipeline } from "./real-pipeline.ts";
import {
  addLeaksOption,
  coverageOf,
  effortOf,
  judgingOf,
  type RecoveryFlags,
  recoveryCommand,
  replayWords,
  runOf,
  sessionLimits,
  statistics,
  writeWitnesses,
} from "./recoveries.ts";
import { addReportOptions, parseWithConfig, type ReportFlags, showsHistories } from "./report-options.ts";
import { loadRules } from "./rule-files.ts";

interface CheckFlags extends RecoveryFlags, ReportFlags {
  readonly engine: readonly string[];
  /** All that it takes, or nothing; within a bound if undefined. */
  readonly fix?: boolean;
  readonly annotations: "on" | "rules" | "off";
  readonly granularity: "flush" | "store";
  readonly allPoints?: boolean;
  readonly points?: boolean;
  readonly memo: boolean;
  readonly rules: boolean;
  readonly explore: boolean;
  readonly maxStates?: number;
  readonly input?: string;
}

// biome-ignore format: columns stay aligned
export const checkCommandLine = (): Command =>
  withExamples(addReportOptions(addLeaksOption(recoveryCommand("blackout check"))
    .description("Runs a program, cuts the power at its failure points, and runs its recovery on what a crash leaves.")
    .option("--then <command>",        "a command to run after recovery, with the number of the next operation for {n}: it must print what it prints after a clean stop")
    .option("--input <dir>",           "check the program once for each file there, which it reads from its standard input")
    .option("--annotations <whose>",   "answer Valgrind's client requests: rules: in a separate run for the rules; on: in the run that is checked; off: never", oneOf("--annotations", ["rules", "on", "off"]), "rules")
    .option("--granularity <what>",    "failure points before each flush, fence and msync, or before each store too", oneOf("--granularity", ["flush", "store"]), "flush")
    .option("--all-points",            "every dynamic failure point, not one for each place with its calls")
    .option("--points",                "print the tree of failure points, with how many crash states there are at each, and judge nothing")
    .option("-j, --jobs <n>",          "crash states judged at once (default: as many as there are cores)", atLeastOne("--jobs"))
    .option("--max-states <n>",        "judge at most this many crash states", wholeNumber("--max-states"))
    .option("--no-memo",               "run recovery on every crash state, also on equal ones")
    .option("--no-rules",              "leave out the rules over the trace")
    .option("--no-explore",            "do not explore further when the check's own crash states are judged")
    .option("--engine <file>",         "an engine of your own, a TypeScript or JavaScript module (repeatable)", collect, [])
    .option("--fix",                   "try the flushes and fences that each error lacks, however long that takes (default: within a bound of instructions)")
    .option("--no-fix",                "try no fixes, and show no change of the source")
    .option("--bundle <dir>",          "write what others need to reproduce the findings: report, witness, crashed files, digests, replay.sh")
    .option("--stats",                 "print one JSON line of statistics on stderr")),
    ["blackout check --recover './log pool check' -- ./log pool", "the program's own checker judges what crashes leave"],
    ["blackout check --setup './app create pool' --time 10m --html report.html -- ./app run pool", "only the work on a pool that is there, for ten minutes, with a page to read"]);

async function runCheck(flags: CheckFlags, program: readonly string[]): Promise<CheckedInputs> {
  const { granularity, allPoints = false, memo, creation, annotations, maxStates, maxHostMemory } = flags;
  const [customRules, ownEngines] = await Promise.all([loadRules(flags.rule), loadEngines(flags.engine)]);
  const options = {
    subject: subjectOptions(flags, program, annotations === "on"),
    judging: judgingOf(flags),
    ...{ granularity, allPoints, memo, creation, customRules, ownEngines },
    rules: flags.rules,
    disabled: flags.disable,
    annotatesForRules: annotations === "rules",
    engineFiles: flags.engine,
    explores: flags.explore,
    fixes: flags.fix === undefined ? "bounded" : flags.fix ? "all" : "none",
    source: flags.source,
    histories: showsHistories(flags),
    ...sessionLimits(flags),
    ...(maxStates !== undefined && { maxItems: maxStates }),
    ...(maxHostMemory !== undefined && { maxHostMemory }),
  } satisfies CheckOptions;
  return withFleet(flags, (fleet) => {
    const ports = { ...realPipeline(flags), ...fleet };
    return flags.input === undefined ? checkProgram(options, ports) : checkInputs(flags.input, options, ports);
  });
}

/** The failure points that a check would judge. */
function showPoints(flags: CheckFlags, program: readonly string[]): number {
  const subject = new Subject(subjectOptions(flags, program, flags.annotations === "on"), alarmedPorts(flags));
  const { granularity, allPoints = false, memo, platform } = flags;
  stdoutLine(pointTreeText(placedPoints(subject, { granularity, allPoints, memo, platform })));
  return exitCode.clean;
}

/** Whether exploration went through every crash state of the run, the only one, and none made recovery fail. */
const noCrashFails = ({ findings, stop, schedules }: SessionResult, { explored }: Coverage): boolean =>
  stop === undefined &&
  schedules === undefined &&
  explored !== undefined &&
  isAllExplored(explored) &&
  findings.every(({ crash }) => crash === undefined);

export async function checkCommand(args: readonly string[]): Promise<number> {
  const command = checkCommandLine();
  parseWithConfig(command, "check", args);
  const flags = command.opts<CheckFlags>();
  if (flags.rw.length > 0) stderrLine("blackout: --rw has no effect here: nothing of a check reaches the host's files");
  if (flags.points) return showPoints(flags, command.args);
  const result = await runCheck(flags, command.args);
  const { findings, stop, rules, engines, updates, checksums } = result;
  const program = programFile(programOptions(flags), command.args, realPorts());
  const empty = nothingJudged(result);
  const coverage = {
    ...coverageOf(result),
    ...(result.functions && ownFunctions(result.functions, ownModule(program, flags))),
    ...(updates && { updates: updatesOf(updates) }),
  };
  const facts = {
    run: runOf("check", flags, command.args, result, engines),
    coverage,
    effort: effortOf(result),
    ...(result.points && { points: result.points }),
    ...(noCrashFails(result, coverage) && { noCrashFails: true }),
    ...(empty !== undefined && { warnings: [empty] }),
    replayOf: replayWords(flags),
  };
  const code = deliver(flags, {
    findings,
    rules,
    facts,
    program,
    closing: `${closingLines(result, coverage, { flags, checksums, empty })}${result.inputLines ?? ""}`,
  });
  writeWitnesses(flags.witness, findings);
  result.finish();
  if (flags.stats) stderrLine(JSON.stringify(statistics(result)));
  if (result.complaint !== undefined) throw result.complaint;
  if (stop === "interrupt") return exitCode.interrupted;
  return code ?? (stop === undefined ? codeWithoutFindings(empty, flags) : exitCode.noVerdict);
}
