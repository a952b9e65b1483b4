/** `blackout check`: cuts the power at a program's failure points and runs its recovery on what a crash leaves. */
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import type { Coverage, Effort, Run } from "../document/index.ts";
import { type CreationSeverity, creationSeverities, injectEngine, rulesEngine } from "../engines/index.ts";
import { cpuSeconds, peakMemoryBytes, realPorts, stderrLine, workerProgram, writeText } from "../host/index.ts";
import { type Finding, type Witness, witnessText } from "../report/index.ts";
import { programFile } from "../subject/index.ts";
import { type CrashEngine, defaultJournal, runSession, type SessionResult, type Stop } from "../work/index.ts";
import { deliver } from "./deliver.ts";
import { loadEngines } from "./engine-files.ts";
import { exitCode } from "./exit-codes.ts";
import { keepWitness } from "./kept-witnesses.ts";
import { atLeastOne, collect, oneOf, wholeNumber } from "./options.ts";
import { alarmedPorts, programCommand, programOptions, type SubjectFlags, subjectOptions } from "./program-options.ts";
import { Progress } from "./progress.ts";
import { addReportOptions, parseWithConfig, type ReportFlags } from "./report-options.ts";
import { loadRules } from "./rule-files.ts";

interface CheckFlags extends SubjectFlags, ReportFlags {
  readonly annotations: "on" | "rules" | "off";
  readonly expectExit: number;
  readonly oracle: "exit" | "output";
  readonly granularity: "flush" | "store";
  readonly creation: CreationSeverity;
  readonly allPoints?: boolean;
  readonly memo: boolean;
  readonly rules: boolean;
  readonly maxStates?: number;
  readonly hangLimit?: number;
  readonly jobs?: number;
  readonly journal: string | false;
  readonly resume?: boolean;
  readonly witness?: string;
  readonly engine: readonly string[];
}

// biome-ignore format: columns stay aligned
export const checkCommandLine = (): Command =>
  addReportOptions(programCommand("blackout check")
    .description("Runs a program, cuts the power at its failure points, and runs its recovery on what a crash leaves.")
    .option("--recover <command>",     "the recovery or checker to run after a crash (default: the program again)")
    .option("--setup <command>",       "run this first, untraced; its files are there when the program starts")
    .option("--expect-exit <n>",       "the exit code of a recovery that went well", wholeNumber("--expect-exit"), 0)
    .option("--oracle <what>",         "exit: recovery must exit well; output: and print what it prints after a clean stop", oneOf("--oracle", ["exit", "output"]), "exit")
    .option("--pm <glob>",             "files that are persistent memory when mapped shared (repeatable; all of them if not given)", collect, [])
    .option("--annotations <whose>",   "answer Valgrind's client requests: rules: in a run of its own that the rules judge; on: in the run that is checked; off", oneOf("--annotations", ["rules", "on", "off"]), "rules")
    .option("--granularity <what>",    "failure points before each flush, fence and msync, or before each store too", oneOf("--granularity", ["flush", "store"]), "flush")
    .option("--creation <severity>",   "crashes while the run creates its file are an error, a warning or left out (ignore)", oneOf("--creation", creationSeverities), "warning")
    .option("--all-points",            "every dynamic failure point, not one for each place with its calls")
    .option("--hang-limit <n>",        "instructions a recovery may run (default: 20 times the undisturbed recovery)", wholeNumber("--hang-limit"))
    .option("-j, --jobs <n>",          "crash states judged at once (default: as many as there are cores)", atLeastOne("--jobs"))
    .option("--max-states <n>",        "judge only so many crash states, the first ones", wholeNumber("--max-states"))
    .option("--journal <dir>",         "keep what is judged there until the check is done, so that --resume can go on", defaultJournal)
    .option("--no-journal",            "keep nothing")
    .option("--resume",                "go on with the check that the journal is of")
    .option("--no-memo",               "run recovery on every crash state, also on equal ones")
    .option("--no-rules",              "leave out the rules over the trace")
    .option("--engine <file>",         "an engine of your own, a TypeScript or JavaScript module (repeatable)", collect, [])
    .option("--witness <file>",        "write how to see each crash finding again, for blackout replay")
    .option("--stats",                 "print one JSON line of statistics on stderr"));

const stopWords: Readonly<Record<Stop, string>> = {
  interrupt: "interrupted",
  time: "stopped by --time",
  "host-memory": "stopped by --max-host-memory",
  "max-states": "stopped by --max-states",
};

const coverageOf = ({ extent, stop }: SessionResult): Coverage => ({
  failurePoints: { judged: extent.points, total: extent.pointsInAll },
  crashStates: { judged: extent.states, total: extent.statesInAll },
  exhaustive: stop === undefined,
  ...(stop !== undefined && { stop }),
});

function coverageLine({ failurePoints: points, crashStates: states, stop }: Coverage): string {
  if (stop === undefined) return `blackout: ${points.judged} failure points, ${states.judged} crash states, all judged`;
  const percent = ((100 * states.judged) / states.total).toFixed(1);
  return `blackout: ${stopWords[stop]}: ${points.judged} of ${points.total} failure points, ${states.judged} of ${states.total} crash states judged (${percent}%)`;
}

const effortOf = ({ tested, skipped, seconds }: SessionResult): Effort => ({
  tested,
  skipped,
  time: [
    { name: "tracing and planning", seconds: seconds.before },
    { name: "judging crash states", seconds: seconds.judging },
  ],
});

function writeWitnesses(file: string | undefined, findings: readonly Finding[]): void {
  if (file === undefined) return;
  const witnesses = findings.flatMap(({ crash }) => (crash === undefined ? [] : [crash.witness]));
  writeText(file, witnessText(witnesses));
  if (witnesses.length > 0) stderrLine(`blackout: to see the crashes again: blackout replay ${file}`);
}

/** How each crash is seen again: by the file that is written, or by what is kept of it. */
const replayWords =
  ({ witness: file }: CheckFlags) =>
  (witness: Witness): readonly string[] | undefined => {
    if (file !== undefined) return ["blackout", "replay", file, "--finding", witness.fingerprint];
    return keepWitness(witness) ? ["blackout", "replay", witness.fingerprint] : undefined;
  };

/** The bundle lies beside the workers' program. */
const workers = () => workerProgram(fileURLToPath(new URL("./worker.mjs", import.meta.url)));

async function runCheck(flags: CheckFlags, program: readonly string[]) {
  const {
    expectExit,
    oracle,
    hangLimit,
    granularity,
    allPoints = false,
    memo,
    creation,
    annotations,
    maxStates,
  } = flags;
  const [custom, own] = await Promise.all([loadRules(flags.rule), loadEngines(flags.engine)]);
  const wantsAnnotations = annotations === "rules";
  const rules = rulesEngine({ disabled: new Set(flags.disable), custom, wantsAnnotations });
  const engines = [injectEngine({ granularity, allPoints, memo, creation }) as CrashEngine, ...own];
  const progress = new Progress();
  const options = {
    subject: subjectOptions(flags, program, annotations === "on"),
    judging: { expectExit, oracle, platform: "px86" as const, ...(hangLimit !== undefined && { hangLimit }) },
    traceEngines: flags.rules ? [rules] : [],
    crashEngines: engines,
    journal: flags.journal,
    ...(flags.resume && { resume: true }),
    ...(flags.jobs !== undefined && { jobs: flags.jobs }),
    ...(flags.time !== undefined && { time: flags.time }),
    ...(maxStates !== undefined && { maxItems: maxStates }),
  };
  const result = await runSession(options, {
    host: alarmedPorts(flags),
    workers: workers(),
    engineFiles: flags.engine,
    progress: (done) => progress.update(done),
  }).finally(() => progress.end());
  const names = [...engines, ...options.traceEngines].map(({ name }) => name);
  return { result, rules: [...rules.rules, ...engines.flatMap((engine) => engine.rules)], engines: names };
}

function runOf(
  flags: CheckFlags,
  program: readonly string[],
  { events }: SessionResult,
  engines: readonly string[],
): Run {
  const { recover, setup } = subjectOptions(flags, program, false);
  return {
    command: "check",
    engines,
    program,
    ...(recover && { recovery: recover }),
    ...(setup && { setup }),
    events,
  };
}

export async function checkCommand(args: readonly string[]): Promise<number> {
  const command = checkCommandLine();
  parseWithConfig(command, "check", args);
  const flags = command.opts<CheckFlags>();
  if (flags.rw.length > 0) stderrLine("blackout: --rw has no effect here: nothing of a check reaches the host's files");
  const { result, rules, engines } = await runCheck(flags, command.args);
  const { findings, stop } = result;
  const coverage = coverageOf(result);
  const facts = {
    run: runOf(flags, command.args, result, engines),
    coverage,
    effort: effortOf(result),
    replayOf: replayWords(flags),
  };
  const code = deliver(flags, {
    findings,
    rules,
    facts,
    program: programFile(programOptions(flags), command.args, realPorts()),
    closing: coverageLine(coverage),
  });
  writeWitnesses(flags.witness, findings);
  result.finish();
  if (flags.stats) stderrLine(JSON.stringify(statistics(result)));
  if (result.complaint !== undefined) throw result.complaint;
  if (stop === "interrupt") return exitCode.interrupted;
  return code ?? (stop === undefined ? exitCode.clean : exitCode.noVerdict);
}

const statistics = ({ events, tested, skipped, findings, extent, stop, seconds }: SessionResult) => ({
  events,
  tested,
  skipped,
  findings: findings.length,
  ...extent,
  stop,
  seconds: { ...seconds, cpu: cpuSeconds() },
  peakBytes: peakMemoryBytes(),
});
