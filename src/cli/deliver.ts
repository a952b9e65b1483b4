/** How a command that reports findings ends: sifted, rendered, written, and told by the exit code. */
import pc from "picocolors";
import { printText, readIfThere, readText, stderrLine, writeText } from "../host/index.ts";
import {
  type Finding,
  hasFindings,
  parseSuppressions,
  type RuleInfo,
  type RunFacts,
  renderReport,
  siftFindings,
  suppressionText,
  type TextOptions,
} from "../report/index.ts";
import { exitCode } from "./exit-codes.ts";
import type { ReportFlags } from "./report-options.ts";

export interface Delivery {
  readonly findings: readonly Finding[];
  /** All that was looked for. */
  readonly rules: readonly RuleInfo[];
  readonly facts: Omit<RunFacts, "suppressed">;
  /** A line after the report, in whatever format that is. */
  readonly closing?: string;
}

const painters = { error: pc.red, performance: pc.yellow, warning: pc.cyan, strong: pc.bold, faint: pc.dim } as const;

function textOptions(): TextOptions {
  const sources = new Map<string, string | undefined>();
  return {
    readSource: (path) => {
      if (!sources.has(path)) {
        const bytes = readIfThere(path);
        sources.set(path, bytes === undefined ? undefined : new TextDecoder().decode(bytes));
      }
      return sources.get(path);
    },
    ...(pc.isColorSupported && process.stderr.isTTY && { paint: (text, how) => painters[how](text) }),
  };
}

/** A report that cannot be written where it was to go is printed: it may have taken long. */
function write({ report, format }: ReportFlags, text: string): void {
  if (report !== undefined) {
    try {
      writeText(report, `${text}\n`);
    } catch (error) {
      printText(`${text}\n`);
      throw error;
    }
  } else if (format === "text") stderrLine(text);
  else printText(`${text}\n`);
}

/** Delivers the report; the exit code if nothing else has to be said, or undefined when there were no findings. */
export function deliver(flags: ReportFlags, { findings, rules, facts, closing }: Delivery): number | undefined {
  const suppressions = flags.suppressions.flatMap((file) => parseSuppressions(file, readText(file)));
  const { kept, suppressed } = siftFindings(findings, suppressions);
  const isText = flags.format === "text";
  const body = renderReport(flags.format, {
    findings: kept,
    facts: { ...facts, suppressed: suppressed.length },
    text: textOptions(),
    failOn: flags.failOn,
    rules,
  });
  const sifted = suppressed.length === 0 || !isText ? body : `${body} (${suppressed.length} suppressed)`;
  write(flags, closing === undefined || !isText ? sifted : `${sifted}\n${closing}`);
  if (closing !== undefined && (flags.report !== undefined || !isText)) stderrLine(closing);
  if (flags.genSuppressions) for (const finding of kept) stderrLine(suppressionText(finding));
  return hasFindings(kept, flags.failOn) ? exitCode.findings : undefined;
}
