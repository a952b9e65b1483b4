/** The formats that a run is reported in, for every command that reports one. */
import { blackoutVersion } from "../../base/index.ts";
import type { Finding, Severity } from "../../crash/finding/index.ts";
import type { Report } from "../document/index.ts";
import { buildReport, type RunFacts } from "./build.ts";
import { reportJson, reportLine } from "./json.ts";
import { reportJunit } from "./junit.ts";
import { reportSarif } from "./sarif.ts";
import { reportText, type TextOptions } from "./text.ts";

export const reportFormats = ["text", "json", "jsonl", "sarif", "junit"] as const;
export type ReportFormat = (typeof reportFormats)[number];

export interface Rendering {
  readonly text: TextOptions;
  readonly failOn: Severity;
  /** Whether JSON tells what it took too, which differs from run to run. */
  readonly withEffort: boolean;
}

/** The report of a run; its rules are ours, and the user's own that found something. */
export function reportOf(findings: readonly Finding[], facts: Omit<RunFacts, "version">): Report {
  const all = [...facts.rules, ...findings.map(({ rule }) => rule)];
  const rules = [...new Map(all.map((rule) => [rule.id, rule])).values()];
  return buildReport(findings, { ...facts, rules, version: blackoutVersion });
}

const withoutEffort = ({ effort: _, ...report }: Report): Report => report;

const renderers: Readonly<Record<ReportFormat, (report: Report, rendering: Rendering) => string>> = {
  text: (report, { text }) => reportText(report, text),
  json: (report, { withEffort }) => reportJson(withEffort ? report : withoutEffort(report)),
  jsonl: (report, { withEffort }) => reportLine(withEffort ? report : withoutEffort(report)),
  sarif: (report, { text }) => reportSarif(report, text.readSource),
  junit: (report, { text, failOn }) => reportJunit(report, { readSource: text.readSource, failOn }),
};

export const renderReport = (format: ReportFormat, report: Report, rendering: Rendering): string =>
  renderers[format](report, rendering);
