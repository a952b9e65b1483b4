/** How a command that reports findings ends: sifted, rendered, written, and told by the exit code. */

import {
  type Counts,
  type Finding,
  hasFindings,
  type OwnModule,
  outsideTheSystem,
  ownModules,
  type RuleInfo,
  reachesBar,
  summaryLine,
} from "../../crash/finding/index.ts";
import { type LineKind, printText, readText, realPorts, stderrLine, writeText } from "../../host/index.ts";
import type { Report } from "../../report/document/index.ts";
import {
  againstBaseline,
  baselineLines,
  baselineText,
  findingKeys,
  parseSuppressions,
  type ReportFormat,
  type RunFacts,
  readBaseline,
  renderReport,
  reportOf,
  siftFindings,
  type TextOptions,
} from "../../report/render/index.ts";
import { type SourceOptions, Sources } from "../pipeline/index.ts";
import { writeBundle } from "./bundle-folder.ts";
import { exitCode } from "./exit-codes.ts";
import { showsLinks, withLinks } from "./links.ts";
import { writePage } from "./page-file.ts";
import type { ReportFlags } from "./report-options.ts";
import { addSuppressions, sayUnmatched } from "./suppression-files.ts";
import { paint, terminalWidth, wantsColor } from "./terminal.ts";

export interface Delivery {
  readonly findings: readonly Finding[];
  /** All that was looked for. */
  readonly rules: readonly RuleInfo[];
  readonly facts: Omit<RunFacts, "suppressed" | "rules" | "version">;
  /** The program's file on the host, if one was run. */
  readonly program?: string;
  /** A line after the report, in whatever format that is. */
  readonly closing?: string;
  /** Whether the run ended before all was looked at, where its coverage does not say so. */
  readonly wasCut?: boolean;
}

const textOptions = ({ show, verbose = false, color, report }: ReportFlags, sources: Sources): TextOptions => {
  const onTerminal = report === undefined && process.stderr.isTTY;
  return {
    readSource: sources.read,
    all: show === "all",
    verbose,
    width: terminalWidth(onTerminal ? process.stderr.columns : undefined),
    ...(wantsColor(color, onTerminal) && { paint }),
  };
};

/** A report that cannot be written where it was to go is printed: it may have taken long. */
function write({ report, format }: ReportFlags, text: string, kind: LineKind): void {
  if (report !== undefined) {
    try {
      writeText(report, `${text}\n`);
    } catch (error) {
      printText(`${text}\n`);
      throw error;
    }
  } else if (format === "text") stderrLine(text, kind);
  else printText(`${text}\n`);
}

/** The text of a bundle is plain, and as wide as a file's. */
function bundle(folder: string, report: Report, findings: readonly Finding[], { readSource }: TextOptions): void {
  const render = (format: ReportFormat) =>
    renderReport(format, report, { text: { readSource }, failOn: "error", withEffort: false });
  writeBundle(folder, { json: render("json"), text: render("text"), findings }, realPorts());
  stderrLine(`blackout: to see the crashes again: blackout replay ${folder}`);
}

/** What is the user's: by the program's path as he named it, and as the guest knows it, behind symbolic links. */
export const ownModule = (program: string, { mine, notMine }: Pick<ReportFlags, "mine" | "notMine">): OwnModule =>
  ownModules([program, realPorts().realPath(program) ?? program], mine, notMine);

/** "(2 suppressed, 1 known)": what the summary before it does not count. */
function uncounted({ summary, baseline }: Report): string {
  const parts = [
    ...(summary.suppressed === 0 ? [] : [`${summary.suppressed} suppressed`]),
    ...(baseline === undefined ? [] : [`${baseline.known} known`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

const countsOf = ({ summary: { errors, performance, warnings } }: Report): Counts => ({
  error: errors,
  performance,
  warning: warnings,
});

/** With a baseline, what is new counts. */
const failsBar = (report: Report, kept: readonly Finding[], bar: ReportFlags["failOn"]): boolean =>
  report.baseline === undefined ? hasFindings(kept, bar) : reachesBar(countsOf(report), bar);

/** Delivers the report; the exit code if nothing else has to be said, or undefined when there were no findings. */
export function deliver(
  flags: ReportFlags & SourceOptions & { readonly stats?: boolean },
  { findings, rules, facts, program, closing, wasCut = false }: Delivery,
): number | undefined {
  const suppressions = flags.suppressions.flatMap((file) => parseSuppressions(file, readText(file, "suppressions")));
  const baseline =
    flags.baseline === undefined ? undefined : readBaseline(flags.baseline, readText(flags.baseline, "baseline"));
  const isText = flags.format === "text";
  const sources = new Sources(flags, program);
  const text = textOptions(flags, sources);
  const { readSource } = text;
  const own = program === undefined ? outsideTheSystem : ownModule(program, flags);
  const keyOf = findingKeys(findings, own, readSource);
  const { kept, suppressed, unmatched } = siftFindings(findings, suppressions, keyOf);
  const found = reportOf(kept, { ...facts, ownModule: own, rules, suppressed: suppressed.length, keyOf, readSource });
  const report = baseline === undefined ? found : againstBaseline(found, baseline, wasCut);
  const withEffort = flags.stats ?? false;
  const body = renderReport(flags.format, report, { text, failOn: flags.failOn, withEffort });
  sources.sayWithheld();
  const lines = [...baselineLines(report), ...(closing === undefined ? [] : [closing])];
  const told = isText ? [`${body}${uncounted(report)}`, ...lines].join("\n") : body;
  const hasLinks = isText && text.paint !== undefined && process.stderr.isTTY && showsLinks(process.env);
  write(
    flags,
    hasLinks ? withLinks(told, report, flags.editor) : told,
    text.paint === undefined ? "plain" : "coloured",
  );
  if (flags.html !== undefined) writePage(flags.html, report);
  if (flags.bundle !== undefined) bundle(flags.bundle, report, kept, text);
  // Who has the report in a file hears what came of it.
  if (flags.report !== undefined) stderrLine(`SUMMARY: ${summaryLine(countsOf(report))}${uncounted(report)}`);
  if (flags.report !== undefined || !isText) for (const line of lines) stderrLine(line);
  if (flags.saveBaseline !== undefined) writeText(flags.saveBaseline, baselineText(report));
  if (flags.genSuppressions !== undefined) addSuppressions(flags.genSuppressions, kept, keyOf);
  sayUnmatched(unmatched);
  return failsBar(report, kept, flags.failOn) ? exitCode.findings : undefined;
}
