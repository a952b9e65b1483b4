/** Texts the user gave us, and errors that point into them: line, column and a caret under the place. */
import { InputError } from "../../base/index.ts";

export interface Source {
  readonly file: string;
  readonly text: string;
}

export function positionOf({ text }: Source, offset: number): { line: number; column: number; lineText: string } {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", start);
  const line = text.slice(0, start).split("\n").length;
  return { line, column: offset - start + 1, lineText: text.slice(start, end < 0 ? text.length : end) };
}

/** Longest part of a line that is shown around the place; a JSON file may be all on one line. */
const WINDOW = 100;

export function inputError(source: Source, offset: number, code: string, sentence: string, facts = {}): InputError {
  const { line, column, lineText } = positionOf(source, offset);
  const from = Math.max(0, Math.min(column - 1 - WINDOW / 2, lineText.length - WINDOW));
  const shown = lineText.slice(from, from + WINDOW).replaceAll("\t", " ");
  const gutter = `${line}`.length + 3;
  const frame = `${line} | ${shown}\n${" ".repeat(gutter + column - 1 - from)}^`;
  const where = { file: source.file, line, column };
  return new InputError(code, `${source.file}:${line}:${column}: ${sentence}\n${frame}`, { ...where, ...facts });
}
