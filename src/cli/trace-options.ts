/** The options of `blackout trace`, from the command line and from blackout.config.json; the command line wins. */
import { existsSync } from "node:fs";
import type { Command, Option } from "commander";
import { InputError } from "../base/index.ts";
import { ruleCatalogue } from "../engines/index.ts";
import { type Severity, severities } from "../finding/index.ts";
import { type OptionShape, readConfig } from "../report/index.ts";
import { readText } from "./files.ts";
import { collect } from "./options.ts";
import type { ProgramOptions } from "./program.ts";
import { type ReportFormat, reportFormats } from "./report-formats.ts";
import { programCommand } from "./run.ts";

export interface TraceOptions extends ProgramOptions {
  readonly in?: string;
  readonly inPmemcheck?: string;
  readonly out?: string;
  readonly log?: "pmemcheck";
  readonly pm: readonly string[];
  readonly pmMode: "dax" | "msync";
  readonly platform: "px86" | "eadr" | "strict";
  readonly annotations: "on" | "off";
  readonly rule: readonly string[];
  readonly disable: readonly string[];
  readonly suppressions: readonly string[];
  readonly genSuppressions?: boolean;
  readonly failOn: Severity;
  readonly format: ReportFormat;
  readonly report?: string;
  readonly config?: string;
}

const oneOf =
  <Choice extends string>(flag: string, choices: readonly Choice[]) =>
  (text: string): Choice => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined)
      throw new InputError("cli/choice", `${flag} is one of ${choices.join(", ")}, not ${text}.`, { flag, text });
    return found;
  };

const knownRule = (text: string, earlier: readonly string[]): readonly string[] => [
  ...earlier,
  oneOf(
    "--disable",
    ruleCatalogue.map(({ id }) => id),
  )(text),
];

// biome-ignore format: columns stay aligned
export function traceCommandLine(): Command {
  const command = programCommand("blackout trace")
    .description("Runs a program and judges what it does to persistent memory; or judges a recorded trace.")
    .option("--in <file>",             "judge a recorded .btrace instead of running a program")
    .option("--in-pmemcheck <log>",    "judge a log that pmemcheck wrote with --log-stores=yes")
    .option("--out <file>",            "record the trace into a .btrace file")
    .option("--log <format>",          "print the trace as a log of this format (pmemcheck) on stdout", oneOf("--log", ["pmemcheck"]))
    .option("--pm <glob>",             "files that are persistent memory when mapped shared (repeatable; all of them if not given)", collect, [])
    .option("--pm-mode <mode>",        "dax: flushes persist; msync: only msync does", oneOf("--pm-mode", ["dax", "msync"]), "dax")
    .option("--platform <name>",       "px86, eadr (caches survive) or strict", oneOf("--platform", ["px86", "eadr", "strict"]), "px86")
    .option("--annotations <on|off>",  "answer Valgrind's client requests, as pmemcheck would", oneOf("--annotations", ["on", "off"]), "on")
    .option("--rule <file>",           "a rule of your own, a TypeScript or JavaScript module (repeatable)", collect, [])
    .option("--disable <rule>",        "leave out a rule (repeatable)", knownRule, [])
    .option("--suppressions <file>",   "leave out findings that a file of Valgrind suppressions matches (repeatable)", collect, [])
    .option("--gen-suppressions",      "print a suppression after each finding")
    .option("--fail-on <severity>",    "exit with 1 from this severity on: error, performance or warning", oneOf("--fail-on", severities), "error")
    .option("--format <name>",         "text, json, sarif or junit", oneOf("--format", reportFormats), "text")
    .option("--report <file>",         "write the report to a file; otherwise text goes to stderr, the others to stdout")
    .option("--config <file>",         "options from this file instead of blackout.config.json");
  // With --in there is no program to run.
  for (const argument of command.registeredArguments) argument.required = false;
  return command;
}

const defaultConfig = "blackout.config.json";

/** A flag has no value; an option that begins as a list takes several. */
function shapeOf(option: Option): OptionShape {
  if (!option.required && !option.optional) return "flag";
  return Array.isArray(option.defaultValue) ? "values" : "value";
}

const nameOf = (option: Option): string => (option.long ?? "").replace(/^--(?:no-)?/, "");

export function readTraceOptions(args: readonly string[]): {
  readonly options: TraceOptions;
  readonly program: readonly string[];
} {
  const command = traceCommandLine();
  command.parse([...args], { from: "user" });
  const file = command.opts<TraceOptions>().config ?? (existsSync(defaultConfig) ? defaultConfig : undefined);
  if (file !== undefined) applyConfig(command, file);
  const options = command.opts<TraceOptions>();
  const sources = [options.in, options.inPmemcheck, command.args[0]].filter((source) => source !== undefined);
  if (sources.length !== 1)
    throw new InputError(
      "cli/usage",
      "Give one program after --, or --in FILE, or --in-pmemcheck LOG. See blackout trace --help.",
    );
  return { options, program: command.args };
}

function applyConfig(command: Command, file: string): void {
  const shapes = Object.fromEntries(command.options.map((option) => [nameOf(option), shapeOf(option)]));
  const values = readConfig(file, readText(file), "trace", shapes);
  for (const option of command.options) {
    const value = values[nameOf(option)];
    const key = option.attributeName();
    if (value === undefined || command.getOptionValueSource(key) === "cli") continue;
    command.setOptionValueWithSource(key, parsed(option, value), "config");
  }
}

function parsed(option: Option, value: boolean | string | readonly string[]): unknown {
  const parse = option.parseArg as ((text: string, earlier: unknown) => unknown) | undefined;
  if (parse === undefined || typeof value === "boolean") return value;
  if (typeof value === "string") return parse(value, undefined);
  return value.reduce<unknown>((earlier, text) => parse(text, earlier), []);
}
