/** A few source lines around a place, with the place pointed at. */
import { printableLines } from "../../base/index.ts";

/** What is shown of a line. */
const widest = 240;
const shownLine = (line = ""): string => printableLines(line.length > widest ? `${line.slice(0, widest)}…` : line);

const context = 2;

export interface CodeFrameOptions {
  readonly line: number;
  readonly column?: number | undefined;
  /** Marks the line that matters; the identity where there is no colour. */
  readonly highlight?: (text: string) => string;
}

/** Undefined when the text has no such line. */
export function codeFrame(
  source: string,
  { line, column, highlight = (text) => text }: CodeFrameOptions,
): string | undefined {
  const lines = source.split(/\r?\n/);
  if (line < 1 || line > lines.length) return undefined;
  const first = Math.max(1, line - context);
  const last = Math.min(lines.length, line + context);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const text =
      `${number === line ? ">" : " "} ${String(number).padStart(width)} | ${shownLine(lines[number - 1])}`.trimEnd();
    shown.push(number === line ? highlight(text) : text);
    if (number === line && column !== undefined && column > 0 && column <= widest) {
      const before = (lines[number - 1] ?? "").slice(0, column - 1).replace(/[^\t]/g, " ");
      shown.push(`  ${" ".repeat(width)} | ${before}^`);
    }
  }
  return shown.join("\n");
}
