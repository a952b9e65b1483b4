/**
 * Findings as text, in the manner of the sanitizers: what, where, the source, the calls, what else had to do with it, what
 * should have followed, how often; and a SUMMARY line that scripts can read.
 */

import { printable } from "../base/index.ts";
import {
  countFindings,
  type Finding,
  inOrder,
  type Severity,
  type ShownEvidence,
  summaryLine,
} from "../finding/index.ts";
import type { Frame } from "../trace/index.ts";
import { codeFrame } from "./code-frame.ts";
import { told } from "./crash-words.ts";

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

/** "insert() at list.c:31:5" or "in /usr/lib/libfoo.so+0x1234". */
export function placeText({ function: name, file, line, column, module, offset, address }: Frame): string {
  const where = [file, line, column].filter((part) => part !== undefined).join(":");
  const binary = module === undefined ? "" : `(${module}+0x${(offset ?? address).toString(16)})`;
  return printable([name, where === "" ? binary : where].filter((part) => part !== undefined && part !== "").join(" "));
}

export function stackText(frames: readonly Frame[], maxFrames = defaultMaxFrames): string[] {
  const lines = frames.slice(0, maxFrames).map((frame, index) => {
    const address = `0x${frame.address.toString(16).padStart(8, "0")}`;
    return `    #${index} ${address} in ${placeText(frame) || "??"}${frame.inlined ? " (inlined)" : ""}`;
  });
  return frames.length > maxFrames ? [...lines, `    … ${frames.length - maxFrames} more`] : lines;
}

function sourceText(frames: readonly Frame[], options: TextOptions, how: Severity | "strong"): string[] {
  const frame = frames.find(({ file, line }) => file !== undefined && line !== undefined);
  const source = frame?.file === undefined ? undefined : options.readSource(frame.file);
  if (source === undefined || frame?.line === undefined) return [];
  const highlight = (text: string) => options.paint?.(text, how) ?? text;
  const shown = codeFrame(source, { line: frame.line, column: frame.column, highlight });
  return shown === undefined ? [] : shown.split("\n").map((line) => `    ${line}`);
}

const evidenceText = ({ says, frames, mark }: ShownEvidence, options: TextOptions): string[] => [
  `  ${printable(says)}, thread ${mark.thread}, event ${mark.seq}:`,
  ...sourceText(frames, options, "strong"),
  ...stackText(frames, options.maxFrames),
];

export function findingText(finding: Finding, options: TextOptions): string {
  const { rule, says, cause, frames, evidence, count } = finding;
  const paint = options.paint ?? ((text) => text);
  const times = count === 1 ? "" : ` (${count} times)`;
  return [
    `==blackout== ${paint(severityWords[rule.severity], rule.severity)}: ${printable(rule.id)}: ${paint(printable(rule.title), "strong")}${times}`,
    `  ${printable(says)}`,
    `  thread ${cause.thread}, event ${cause.seq}:`,
    ...sourceText(frames, options, rule.severity),
    ...stackText(frames, options.maxFrames),
    ...evidence.flatMap((each) => evidenceText(each, options)),
    `  ${paint(`To fix: ${printable(rule.advice)}`, "faint")}`,
  ].join("\n");
}

/** Everything, worst first, and the summary. */
export function reportText(findings: readonly Finding[], options: TextOptions): string {
  const texts = inOrder(findings)
    .map(told)
    .map((finding) => findingText(finding, options));
  return [...texts, `SUMMARY: ${summaryLine(countFindings(findings))}`].join("\n\n");
}
