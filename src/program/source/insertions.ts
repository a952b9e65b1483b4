/**
 * Statements put into source text so that it still looks like its author's: indented like what is around them, on a line of
 * their own where the statement before them ends its line, and in braces where an if or a loop had none.
 */
import { assert } from "../../base/index.ts";
import type { Placement } from "./statements.ts";
import type { SourceNode } from "./syntax.ts";

/** Text that goes in at an offset. */
export interface Insertion {
  readonly offset: number;
  readonly text: string;
  /** How much of the source it stands in the place of; nothing is taken away where this is not given. */
  readonly instead?: number;
}

type Placed = Exclude<Placement, { kind: "nowhere" }>;

/** The line's own end, and whether there is anything but a comment before it. */
const restOfLine = /[ \t]*(?:\/\/[^\n]*|\/\*[^\n]*\*\/[ \t]*)?(?=\r?\n|$)/y;

export function insertAfter(
  source: string,
  { kind, statement, isValue = false }: Placed,
  lines: readonly string[],
): readonly Insertion[] {
  const ended = isValue ? [{ offset: statement.endIndex, text: ";" }] : [];
  return [...ended, ...statementsAfter(source, kind, statement, lines)];
}

/** On lines of their own where the statement begins its line; in braces where an if or a loop had none. */
export function insertBefore(
  source: string,
  { kind, statement }: Placed,
  lines: readonly string[],
): readonly Insertion[] {
  const { startIndex, endIndex } = statement;
  const indent = indentOf(source, startIndex);
  const begin = source.lastIndexOf("\n", startIndex - 1) + 1;
  const isFirst = source.slice(begin, startIndex).trim() === "";
  const added = (line: string) => (isFirst ? `${line}${newline(source)}${indent}` : `${line} `);
  const inside = { offset: startIndex, text: lines.map(added).join("") };
  if (kind === "in block") return [inside];
  const before = endOfTextBefore(source, startIndex);
  const after = lineEnd(source, endIndex);
  const closing =
    isFirst && after !== undefined
      ? { offset: after, text: `${newline(source)}${indentOf(source, before - 1)}}` }
      : { offset: endIndex, text: " }" };
  return [{ offset: before, text: " {" }, inside, closing];
}

function statementsAfter(
  source: string,
  kind: Placed["kind"],
  statement: SourceNode,
  lines: readonly string[],
): readonly Insertion[] {
  const after = lineEnd(source, statement.endIndex);
  const indent = indentOf(source, statement.startIndex);
  const added = (text: string) => (after === undefined ? ` ${text}` : `${newline(source)}${indent}${text}`);
  const offset = after ?? statement.endIndex;
  const inside = { offset, text: lines.map(added).join("") };
  if (kind === "in block") return [inside];
  const before = endOfTextBefore(source, statement.startIndex);
  const isOnOwnLine = source.slice(before, statement.startIndex).includes("\n");
  const outer = indentOf(source, before - 1);
  const closing = after === undefined || !isOnOwnLine ? " }" : `${newline(source)}${outer}}`;
  return [
    { offset: before, text: " {" },
    isOnOwnLine ? inside : { offset: statement.endIndex, text: lines.map((line) => ` ${line}`).join("") },
    { offset: isOnOwnLine ? offset : statement.endIndex, text: closing },
  ];
}

/** A statement taken out, with its line where nothing else is on it. */
export function removalOf(source: string, { startIndex, endIndex }: SourceNode): Insertion {
  const begin = source.lastIndexOf("\n", startIndex - 1) + 1;
  const isFirst = /^[ \t]*$/.test(source.slice(begin, startIndex));
  const rest = /^[ \t]*\r?(?:\n|$)/.exec(source.slice(endIndex))?.[0];
  if (isFirst && rest !== undefined) return { offset: begin, text: "", instead: endIndex + rest.length - begin };
  const spaces = isFirst ? /^[ \t]*/.exec(source.slice(endIndex))![0].length : 0;
  const from = isFirst ? startIndex : startIndex - (/[ \t]*$/.exec(source.slice(begin, startIndex))?.[0].length ?? 0);
  return { offset: from, text: "", instead: endIndex + spaces - from };
}

/** All at once; those at one offset stay in the order given. */
export function applyInsertions(source: string, insertions: readonly Insertion[]): string {
  let text = "";
  let from = 0;
  for (const insertion of insertions.toSorted((a, b) => a.offset - b.offset)) {
    assert(insertion.offset >= from, "what is changed in a source does not overlap");
    text += source.slice(from, insertion.offset) + insertion.text;
    from = insertion.offset + (insertion.instead ?? 0);
  }
  return text + source.slice(from);
}

/** Where the line ends if a statement's end is the end of its line, comments aside. */
function lineEnd(source: string, offset: number): number | undefined {
  restOfLine.lastIndex = offset;
  return restOfLine.test(source) ? restOfLine.lastIndex : undefined;
}

const newline = (source: string): string => (source.includes("\r\n") ? "\r\n" : "\n");

/** Of the line that an offset is in. */
function indentOf(source: string, offset: number): string {
  const start = source.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(source.slice(start))![0];
}

function endOfTextBefore(source: string, offset: number): number {
  let end = offset;
  while (end > 0 && /\s/.test(source[end - 1]!)) end--;
  return end;
}
