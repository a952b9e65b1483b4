/** The formats that findings are reported in, for every command that reports them. */
import { ruleCatalogue } from "../engines/index.ts";
import type { Finding, RuleInfo, Severity } from "../finding/index.ts";
import { type RunFacts, reportJson, reportJunit, reportSarif, reportText, type TextOptions } from "../report/index.ts";

export const reportFormats = ["text", "json", "sarif", "junit"] as const;
export type ReportFormat = (typeof reportFormats)[number];

export interface Reported {
  readonly findings: readonly Finding[];
  readonly facts: RunFacts;
  readonly text: TextOptions;
  readonly failOn: Severity;
  /** Rules that were looked for beside those over the trace. */
  readonly moreRules?: readonly RuleInfo[];
}

const version = "0.1.0";

/** Ours, and the user's own that found something. */
function rulesOf({ findings, moreRules = [] }: Reported): readonly RuleInfo[] {
  const all = [...ruleCatalogue, ...moreRules, ...findings.map(({ rule }) => rule)];
  return [...new Map(all.map((rule) => [rule.id, rule])).values()];
}

const renderers: Readonly<Record<ReportFormat, (reported: Reported) => string>> = {
  text: ({ findings, text }) => reportText(findings, text),
  json: ({ findings, facts }) => reportJson(findings, facts),
  sarif: (reported) => reportSarif(reported.findings, { rules: rulesOf(reported), version }),
  junit: (reported) =>
    reportJunit(reported.findings, {
      readSource: reported.text.readSource,
      suite: reported.facts.command?.join(" ") ?? "trace",
      rules: rulesOf(reported),
      failOn: reported.failOn,
    }),
};

export const renderReport = (format: ReportFormat, reported: Reported): string => renderers[format](reported);
