/** The front half of every command that reports findings: options of the report, and blackout.config.json. */
import { existsSync } from "node:fs";
import type { Command, Option } from "commander";
import { type Severity, severities } from "../../crash/finding/index.ts";
import { ruleCatalogue } from "../../engines/index.ts";
import { readText, stderrLine } from "../../host/index.ts";
import {
  type ConfigValues,
  type OptionShape,
  type ReportFormat,
  readConfig,
  reportFormats,
} from "../../report/render/index.ts";
import { editorFormat, editorWords } from "./links.ts";
import type { EmptyFlags } from "./nothing-tested.ts";
import { collect, collectSome, demandValue, oneOf, someOf } from "./options.ts";
import { type ColorChoice, colorChoices } from "./terminal.ts";

export interface ReportFlags extends EmptyFlags {
  readonly rule: readonly string[];
  readonly disable: readonly string[];
  readonly suppressions: readonly string[];
  readonly genSuppressions?: string;
  readonly baseline?: string;
  readonly saveBaseline?: string;
  readonly failOn: Severity;
  readonly format: ReportFormat;
  readonly report?: string;
  readonly html?: string;
  readonly bundle?: string;
  readonly show: "brief" | "all";
  readonly verbose?: boolean;
  readonly color: ColorChoice;
  readonly editor: string;
  readonly mine: readonly string[];
  readonly notMine: readonly string[];
  readonly source: readonly string[];
  readonly config?: string;
}

/** Whether anybody will see what a page and JSON show beside the story of each finding: it takes work. */
export const showsHistories = ({ html, format, bundle }: ReportFlags): boolean =>
  html !== undefined || format === "json" || format === "jsonl" || bundle !== undefined;

const knownRule = someOf(
  "--disable",
  ruleCatalogue.map(({ id }) => id),
);

// biome-ignore format: columns stay aligned
export const addReportOptions = (command: Command): Command =>
  command
    .optionsGroup("The report:")
    .option("--rule <file>",           "a rule of your own, a TypeScript or JavaScript module that is run as part of Blackout (repeatable)", collect, [])
    .option("--disable <rule>",        "leave out a rule (repeatable)", knownRule, [])
    .option("--suppressions <file>",   "leave out findings that a file of Valgrind suppressions matches (repeatable)", collect, [])
    .option("--gen-suppressions <file>", "add to this file a suppression for each finding, which matches no other")
    .option("--baseline <file>",       "count what an earlier run found, by --save-baseline or a JSON report, and fail on what is new")
    .option("--save-baseline <file>",  "write what was found as the baseline of later runs")
    .option("--fail-on <severity>",    "exit with 1 from this severity on: error, performance or warning", oneOf("--fail-on", severities), "error")
    .option("--allow-empty",           "exit with 0 even if nothing was tested, or only a run that failed")
    .option("--format <name>",         "text, json, jsonl, sarif or junit", oneOf("--format", reportFormats), "text")
    .option("--report <file>",         "write the report to a file; otherwise text goes to stderr, the others to stdout")
    .option("--html <file>",           "write the report as a page too, which a browser opens from disk")
    .option("--show <what>",           "brief: crashes and errors in full, the rest as a table; all: everything in full", oneOf("--show", ["brief", "all"]), "brief")
    .option("--verbose",               "each finding with all its places and their calls")
    .option("--color <when>",          "auto (a terminal, and no NO_COLOR), always or never", oneOf("--color", colorChoices), "auto")
    .option("--editor <what>",         `where links to source lines lead, in terminals that have them: ${editorWords}`, editorFormat, "file")
    .option("--mine <glob>",           "code that is yours, besides the program's directory: files of the program or of its source; the rest is libraries (repeatable)", collect, [])
    .option("--not-mine <glob>",       "such files that are a library's, wherever they lie (repeatable)", collect, [])
    .option("--source <dir>",          "show source from this directory too (repeatable)", collect, [])
    .option("--config <file>",         "read options from this file; without it, only format, disable, pm and fail-on are read from ./blackout.config.json");

const defaultConfig = "blackout.config.json";

/** A flag has no value; an option that begins as a list, or collects one, takes several. */
function shapeOf(option: Option): OptionShape {
  if (!option.required && !option.optional) return "flag";
  return Array.isArray(option.defaultValue) || option.parseArg === collectSome ? "values" : "value";
}

const nameOf = (option: Option): string => (option.long ?? "").replace(/^--(?:no-)?/, "");

/** The command line, and what it leaves open from the config file's section for the command. */
export function parseWithConfig(command: Command, section: string, args: readonly string[]): void {
  command.parse([...args], { from: "user" });
  const { config } = command.opts<ReportFlags>();
  if (config === undefined && !existsSync(defaultConfig)) return;
  const file = config ?? defaultConfig;
  const shapes = Object.fromEntries(command.options.map((option) => [nameOf(option), shapeOf(option)]));
  const found = readConfig(file, readText(file, "config"), section, shapes);
  const values = config === undefined ? harmlessValues(found) : found;
  for (const option of command.options) {
    const value = values[nameOf(option)];
    const key = option.attributeName();
    if (value === undefined || command.getOptionValueSource(key) === "cli") continue;
    command.setOptionValueWithSource(key, parsed(option, value), "config");
  }
}

/**
 * What a file may say that merely lies in the working directory: how things are shown and judged. Whoever unpacks a
 * project must not run its code, open directories to it or have files written by standing in it.
 */
const harmless: readonly string[] = ["format", "disable", "pm", "fail-on"];

function harmlessValues(values: ConfigValues): ConfigValues {
  const others = Object.keys(values).filter((name) => !harmless.includes(name));
  if (others.length > 0)
    stderrLine(
      `blackout: ${defaultConfig} sets ${others.join(", ")}: that is left out; give --config ${defaultConfig} if you trust it, or say it on the command line`,
    );
  return Object.fromEntries(Object.entries(values).filter(([name]) => harmless.includes(name)));
}

function parsed(option: Option, value: boolean | string | readonly string[]): unknown {
  demandValue(option, value);
  const parse = option.parseArg as ((text: string, earlier: unknown) => unknown) | undefined;
  if (parse === undefined || typeof value === "boolean") return value;
  if (typeof value === "string") return parse(value, undefined);
  return value.reduce<unknown>((earlier, text) => parse(text, earlier), []);
}
