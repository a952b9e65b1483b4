/**
 * Where a function that was inlined ends. Of its last lines a compiler leaves nothing: what it returns is decided by a branch of its
 * caller's, which has the caller's line. So the source says where it is left, by its closing brace.
 */

import type { ReadingFacts } from "../../crash/finding/index.ts";
import { bareName } from "../document/index.ts";

export type ReadSource = (path: string) => string | undefined;

const notCode = /\/\/.*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\[^'\n]*|[^'\\\n])'/g;
/** Comments and literals as blanks, so that braces and names in them say nothing. */
const codeOf = (source: string): string => source.replace(notCode, (text) => text.replace(/[^\n]/g, " "));

const lineAt = (code: string, at: number): number => code.slice(0, at).split("\n").length;

/** The brace that closes the one there. */
function closingOf(code: string, opening: number): number | undefined {
  let depth = 0;
  for (let at = opening; at < code.length; at++) {
    if (code[at] === "{") depth++;
    else if (code[at] === "}" && --depth === 0) return at;
  }
  return undefined;
}

/** A call in a condition looks like a definition, but for the parenthesis that it stands in. */
function isInParentheses(code: string, at: number): boolean {
  const before = code.slice(code.lastIndexOf("\n", at) + 1, at);
  return before.split("(").length > before.split(")").length;
}

/** The line of the brace that closes the function of this name around two lines. */
export function closingLine(source: string, name: string, first: number, last: number): number | undefined {
  const plain = bareName(name).split("::").at(-1)!.split(".")[0]!;
  if (!/^\w+$/.test(plain)) return undefined;
  const code = codeOf(source);
  for (const { index, 0: header } of code.matchAll(new RegExp(`\\b${plain}\\s*\\([^;{}]*\\)[^;{}()]*\\{`, "g"))) {
    const closing = closingOf(code, index + header.length - 1);
    const isAround = lineAt(code, index) <= first && closing !== undefined && last <= lineAt(code, closing);
    if (isAround && !isInParentheses(code, index)) return lineAt(code, closing);
  }
  return undefined;
}

/** A read of recovery's with the end of its function, where the running code does not tell it; it does where a loop's head ends it. */
export function withInlinedEnd(reading: ReadingFacts, readSource: ReadSource): ReadingFacts {
  const { read, own, end, ended } = reading;
  const { inlined, function: name, file, line } = read.frames[own]!;
  if (!inlined || ended || end?.line === undefined || end.file !== file) return reading;
  if (name === undefined || file === undefined || line === undefined || end.line < line) return reading;
  const source = readSource(file);
  const closing = source && closingLine(source, name, line, end.line);
  return closing ? { ...reading, end: { ...end, line: closing } } : reading;
}
