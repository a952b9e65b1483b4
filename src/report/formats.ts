/** The formats that findings are reported in, for every command that reports them. */
import { blackoutVersion } from "../base/index.ts";
import type { Finding, RuleInfo, Severity } from "../finding/index.ts";
import { type RunFacts, reportJson } from "./json.ts";
import { reportJunit } from "./junit.ts";
import { reportSarif } from "./sarif.ts";
import { reportText, type TextOptions } from "./text.ts";

export const reportFormats = ["text", "json", "sarif", "junit"] as const;
export type ReportFormat = (typeof reportFormats)[number];

export interface Reported {
  readonly findings: readonly Finding[];
  readonly facts: RunFacts;
  readonly text: TextOptions;
  readonly failOn: Severity;
  /** All that was looked for. */
  readonly rules: readonly RuleInfo[];
}

/** Ours, and the user's own that found something. */
function rulesOf({ findings, rules }: Reported): readonly RuleInfo[] {
  const all = [...rules, ...findings.map(({ rule }) => rule)];
  return [...new Map(all.map((rule) => [rule.id, rule])).values()];
}

const renderers: Readonly<Record<ReportFormat, (reported: Reported) => string>> = {
  text: ({ findings, text }) => reportText(findings, text),
  json: ({ findings, facts }) => reportJson(findings, facts),
  sarif: (reported) => reportSarif(reported.findings, { rules: rulesOf(reported), version: blackoutVersion }),
  junit: (reported) =>
    reportJunit(reported.findings, {
      readSource: reported.text.readSource,
      suite: reported.facts.command?.join(" ") ?? "trace",
      rules: rulesOf(reported),
      failOn: reported.failOn,
    }),
};

export const renderReport = (format: ReportFormat, reported: Reported): string => renderers[format](reported);
