/** `blackout trace`: a program's use of persistent memory, recorded and judged by the rules. */
import type { Command } from "commander";
import { InputError } from "../../base/index.ts";
import { rulesEngine } from "../../engines/index.ts";
import { createBytes, openBytes, printText, readText, realPorts, standardStreams } from "../../host/index.ts";
import {
  btraceSink,
  btraceSource,
  pmemcheckSink,
  pmemcheckSource,
  programFile,
  programSource,
  type TraceSource,
} from "../../session/subject/index.ts";
import { watchTrace } from "../../session/work/index.ts";
import { deliver } from "./deliver.ts";
import { exitCode } from "./exit-codes.ts";
import { codeWithoutFindings, emptyLine, nothingTested } from "./nothing-tested.ts";
import { collect, oneOf, withExamples } from "./options.ts";
import {
  addScheduleOption,
  alarmedPorts,
  programCommand,
  programOptions,
  type SubjectFlags,
  subjectOptions,
} from "./program-options.ts";
import { addReportOptions, parseWithConfig, type ReportFlags } from "./report-options.ts";
import { loadRules } from "./rule-files.ts";

interface TraceFlags extends SubjectFlags, ReportFlags {
  readonly in?: string;
  readonly inPmemcheck?: string;
  readonly out?: string;
  readonly log?: "pmemcheck";
  readonly logFile?: string;
  readonly pmMode: "dax" | "msync";
  readonly platform: "px86" | "eadr" | "strict";
  readonly annotations: "on" | "off";
}

// biome-ignore format: columns stay aligned
export function traceCommandLine(): Command {
  const command = addScheduleOption(programCommand("blackout trace"))
    .description("Runs a program and judges what it does to persistent memory; or judges a recorded trace.")
    .optionsGroup("What is judged:")
    .option("--setup <command>",       "run this first, untraced; its files are there when the program starts")
    .option("--in <file>",             "judge a recorded .btrace instead of running a program")
    .option("--in-pmemcheck <log>",    "judge a log that pmemcheck wrote with --log-stores=yes")
    .option("--out <file>",            "record the trace into a .btrace file")
    .option("--log <format>",          "print the trace as a log of this format (pmemcheck): on stdout, and the program's own output on stderr", oneOf("--log", ["pmemcheck"]))
    .option("--log-file <file>",       "write that log to a file; the program's output stays where it is")
    .option("--pm <glob>",             "files that are persistent memory when mapped shared (repeatable; all of them if not given)", collect, [])
    .option("--pm-mode <mode>",        "dax: flushes persist; msync: only msync does", oneOf("--pm-mode", ["dax", "msync"]), "dax")
    .option("--platform <name>",       "px86, eadr (caches survive) or strict", oneOf("--platform", ["px86", "eadr", "strict"]), "px86")
    .option("--annotations <on|off>",  "answer Valgrind's client requests, as pmemcheck would", oneOf("--annotations", ["on", "off"]), "on");
  // With --in there is no program to run.
  for (const argument of command.registeredArguments) argument.required = false;
  return withExamples(
    addReportOptions(command),
    ["blackout trace -- ./app pool", "runs it once and reports what the rules find"],
    ["blackout trace --out app.btrace -- ./app pool", "records what happened, for blackout trace --in app.btrace"],
  );
}

function readOptions(args: readonly string[]): { readonly flags: TraceFlags; readonly program: readonly string[] } {
  const command = traceCommandLine();
  parseWithConfig(command, "trace", args);
  const flags = command.opts<TraceFlags>();
  const sources = [flags.in, flags.inPmemcheck, command.args[0]].filter((source) => source !== undefined);
  if (sources.length !== 1)
    throw new InputError(
      "cli/usage",
      "Give one program after --, or --in FILE, or --in-pmemcheck LOG. See blackout trace --help.",
    );
  return { flags, program: command.args };
}

function sourceOf(flags: TraceFlags, program: readonly string[]): TraceSource {
  const real = alarmedPorts(flags);
  const { in: file, inPmemcheck: log } = flags;
  const logsToStdout = flags.log !== undefined && flags.logFile === undefined;
  const ports = logsToStdout ? { ...real, console: () => standardStreams(2) } : real;
  if (file !== undefined) return btraceSource(() => openBytes(file), ports);
  if (log !== undefined) return pmemcheckSource(log, readText(log, "log"), ports);
  return programSource(subjectOptions(flags, program, flags.annotations === "on"), ports);
}

export async function traceCommand(args: readonly string[]): Promise<number> {
  const { flags, program } = readOptions(args);
  const { platform, pmMode: mode, disable, log } = flags;
  const custom = await loadRules(flags.rule);
  const rules = rulesEngine({ platform, mode, disabled: new Set(disable), custom, wantsAnnotations: false });
  const source = sourceOf(flags, program);
  const out = flags.out === undefined ? undefined : createBytes(flags.out);
  const logFile = flags.logFile === undefined ? undefined : createBytes(flags.logFile);
  const writeLog = (text: string) =>
    logFile === undefined ? printText(text) : logFile.write(new TextEncoder().encode(text));
  const watched = (() => {
    try {
      return watchTrace(source, [rules], (places) => [
        ...(out === undefined ? [] : [btraceSink(out, source)]),
        ...(log === undefined ? [] : [pmemcheckSink(writeLog, places)]),
      ]);
    } finally {
      out?.close();
      logFile?.close();
    }
  })();
  const { played, findings, complaint } = watched;
  const { command, events, run, unfinished } = played;
  const { hasStored } = watched;
  const empty = unfinished === undefined ? nothingTested({ run, isEmpty: !hasStored, hasStored }) : undefined;
  const warnings = [...(unfinished === undefined ? [] : [`The program ${unfinished}.`]), ...(empty ? [empty] : [])];
  const code = deliver(flags, {
    findings,
    rules: rules.rules,
    facts: {
      run: {
        command: "trace",
        engines: ["rules"],
        ...(command && { program: command }),
        directory: process.cwd(),
        events,
      },
      ...(warnings.length > 0 && { warnings }),
    },
    wasCut: unfinished !== undefined,
    ...(empty !== undefined && { closing: emptyLine(empty).trimStart() }),
    ...(program.length > 0 && { program: programFile(programOptions(flags), program, realPorts()) }),
  });
  if (complaint !== undefined) throw complaint;
  return code ?? (unfinished === undefined ? codeWithoutFindings(empty, flags) : exitCode.noVerdict);
}
