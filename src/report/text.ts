/**
 * Findings as text, in the manner of the sanitizers: what, where, the source, the calls, what else had to do with it, what
 * should have followed, how often; and a SUMMARY line that scripts can read.
 */

import { printable } from "../base/index.ts";
import type * as document from "../document/index.ts";
import { framesOf } from "../document/index.ts";
import { type Severity, summaryLine } from "../finding/index.ts";
import { codeFrame } from "./code-frame.ts";
import { placeText } from "./place-text.ts";

export interface TextOptions {
  /** A source file's text, if it can be read. */
  readSource(path: string): string | undefined;
  readonly paint?: (text: string, how: Severity | "strong" | "faint") => string;
  /** Calls shown of a stack. */
  readonly maxFrames?: number;
}

const defaultMaxFrames = 12;
const severityWords: Readonly<Record<Severity, string>> = {
  error: "ERROR",
  performance: "PERFORMANCE",
  warning: "WARNING",
};

/** What calls main, or a thread's function: no reader looks for it. */
const startUp = /^(_start|(__)?libc_start_(main|call_main)(_impl)?|__libc_start_main_impl|start_thread|(__)?clone3?)$/;

function withoutStartUp(frames: readonly document.Frame[]): readonly document.Frame[] {
  const last = frames.findLastIndex(({ function: name }) => name === undefined || !startUp.test(name));
  return last < 0 ? frames : frames.slice(0, last + 1);
}

export function stackText(all: readonly document.Frame[], maxFrames = defaultMaxFrames): string[] {
  const frames = withoutStartUp(all);
  const lines = frames.slice(0, maxFrames).map((frame, index) => {
    const address = `0x${frame.address.slice(2).padStart(8, "0")}`;
    return `    #${index} ${address} in ${placeText(frame) || "??"}${frame.inlined ? " (inlined)" : ""}`;
  });
  return frames.length > maxFrames ? [...lines, `    … ${frames.length - maxFrames} more`] : lines;
}

function sourceText(frames: readonly document.Frame[], options: TextOptions, how: Severity | "strong"): string[] {
  const frame = frames.find(({ file, line }) => file !== undefined && line !== undefined);
  const source = frame?.file === undefined ? undefined : options.readSource(frame.file);
  if (source === undefined || frame?.line === undefined) return [];
  const highlight = (text: string) => options.paint?.(text, how) ?? text;
  const shown = codeFrame(source, { line: frame.line, column: frame.column, highlight });
  return shown === undefined ? [] : shown.split("\n").map((line) => `    ${line}`);
}

const placeLines = (
  report: document.Report,
  { event, thread, place }: document.MarkedPlace,
  options: TextOptions,
  title: string,
  how: Severity | "strong",
): string[] => {
  const frames = framesOf(report, place);
  return [
    `  ${title}thread ${thread}, event ${event}:`,
    ...sourceText(frames, options, how),
    ...stackText(frames, options.maxFrames),
  ];
};

export function findingText(report: document.Report, finding: document.Finding, options: TextOptions): string {
  const { rule, severity, message, advice, places, count } = finding;
  const paint = options.paint ?? ((text) => text);
  const times = count === 1 ? "" : ` (${count} times)`;
  const title = report.rules.find(({ id }) => id === rule)?.title ?? finding.headline;
  const [cause, ...others] = places;
  return [
    `==blackout== ${paint(severityWords[severity], severity)}: ${printable(rule)}: ${paint(printable(title), "strong")}${times}`,
    `  ${printable(message)}`,
    ...(cause === undefined ? [] : placeLines(report, cause, options, "", severity)),
    ...others.flatMap((other) => placeLines(report, other, options, `${printable(other.says)}, `, "strong")),
    `  ${paint(`To fix: ${printable(advice)}`, "faint")}`,
  ].join("\n");
}

/** Everything, worst first, and the summary. */
export function reportText(report: document.Report, options: TextOptions): string {
  const texts = report.findings.map((finding) => findingText(report, finding, options));
  const { errors, performance, warnings } = report.summary;
  const summary = summaryLine({ error: errors, performance, warning: warnings });
  return [...texts, `SUMMARY: ${summary}`].join("\n\n");
}
