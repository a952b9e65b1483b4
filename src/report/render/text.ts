/**
 * The report as text: errors and crashes as stories, worst first; everything else as rows; and a SUMMARY line that scripts can
 * read. With `verbose` each story is followed by all its places with their calls.
 */

import { printable } from "../../base/index.ts";
import { summaryLine } from "../../crash/finding/index.ts";
import type * as document from "../document/index.ts";
import { framesOf, withoutStartUp } from "../document/index.ts";
import { codeFrame } from "./code-frame.ts";
import { otherLines, sorted } from "./others.ts";
import { placeText } from "./place-text.ts";
import { findingStory, type Paint } from "./story.ts";

export interface TextOptions {
  /** A source file's text, if it can be read. */
  readSource(path: string): string | undefined;
  readonly paint?: Paint;
  /** Columns; 80 if not given. */
  readonly width?: number;
  /** Every finding as a story. */
  readonly all?: boolean;
  /** Every place with its calls. */
  readonly verbose?: boolean;
}

const usualWidth = 80;
/** Calls shown of a stack. */
const maxFrames = 12;

export function stackText(all: readonly document.Frame[]): string[] {
  const frames = withoutStartUp(all);
  const lines = frames.slice(0, maxFrames).map((frame, index) => {
    const address = `0x${frame.address.slice(2).padStart(8, "0")}`;
    return `    #${index} ${address} in ${placeText(frame) || "??"}${frame.inlined ? " (inlined)" : ""}`;
  });
  return frames.length > maxFrames ? [...lines, `    … ${frames.length - maxFrames} more`] : lines;
}

function sourceText(frames: readonly document.Frame[], { readSource, paint }: TextOptions): string[] {
  const frame = frames.find(({ file, line }) => file !== undefined && line !== undefined);
  const source = frame?.file === undefined ? undefined : readSource(frame.file);
  if (source === undefined || frame?.line === undefined) return [];
  const highlight = (text: string) => paint?.(text, "strong") ?? text;
  const shown = codeFrame(source, { line: frame.line, column: frame.column, highlight });
  return shown === undefined ? [] : shown.split("\n").map((line) => `    ${line}`);
}

/** Every place of a finding, with the code around it and its calls. */
function placeLines(report: document.Report, finding: document.Finding, options: TextOptions): string[] {
  return finding.places.flatMap(({ says, event, thread, place }) => {
    const frames = framesOf(report, place);
    return [
      `  ${printable(says)}, thread ${thread}, event ${event}:`,
      ...sourceText(frames, options),
      ...stackText(frames),
    ];
  });
}

export function findingText(report: document.Report, finding: document.Finding, options: TextOptions): string {
  const { readSource, width = usualWidth, paint = (text: string) => text, verbose = false } = options;
  const story = findingStory(report, finding, { readSource, width, paint });
  return [...story, ...(verbose ? placeLines(report, finding, options) : [])].join("\n");
}

/** Everything but what a baseline knows, worst first, and the summary. */
export function reportText(whole: document.Report, options: TextOptions): string {
  const report = { ...whole, findings: whole.findings.filter(({ known }) => known !== true) };
  const sortedFindings = sorted(report, options.all ?? false);
  const stories = sortedFindings.full.map((finding) => `${findingText(report, finding, options)}\n`);
  const { errors, performance, warnings } = report.summary;
  const summary = summaryLine({ error: errors, performance, warning: warnings });
  const others = otherLines(report, sortedFindings, options.width ?? usualWidth);
  return [...stories, ...others, `SUMMARY: ${summary}`].join("\n");
}
