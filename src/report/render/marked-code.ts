/** Source lines with what happened there below each: the code of a story. */
import { printable, printableLines } from "../../base/index.ts";
import type * as document from "../document/index.ts";
import { baseName, shownFrame } from "../document/index.ts";
import { clipped, wrapped } from "./wrap.ts";

export interface CodeMark {
  readonly place: number;
  readonly says: string;
}

export interface CodeStyle {
  /** A source file's text, if it can be read. */
  readSource(path: string): string | undefined;
  readonly width: number;
  /** Marks what was said; the identity where there is no colour. */
  highlight(text: string): string;
}

interface MarkedLine {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly says: string[];
}

const tab = "    ";

/** The user's line of a mark with its text; undefined where there is none to show. */
function lineOf(
  tables: document.PlaceTables,
  { place, says }: CodeMark,
  { readSource }: CodeStyle,
): MarkedLine | undefined {
  const { file, line } = tables.places[place]?.own === undefined ? {} : (shownFrame(tables, place) ?? {});
  const text = file === undefined ? undefined : readSource(file)?.split(/\r?\n/)[(line ?? 0) - 1];
  if (file === undefined || line === undefined || text === undefined || text.trim() === "") return undefined;
  return { file, line, text: printableLines(text.replaceAll("\t", tab)), says: [says] };
}

/** One entry for each line, in the order of the source where one file has them all. */
function gathered(lines: readonly MarkedLine[]): readonly MarkedLine[] {
  const known = new Map<string, MarkedLine>();
  for (const line of lines) {
    const key = `${line.file}:${line.line}`;
    const there = known.get(key);
    if (there === undefined) known.set(key, line);
    else if (!there.says.includes(line.says[0]!)) there.says.push(line.says[0]!);
  }
  const all = [...known.values()];
  return new Set(all.map(({ file }) => file)).size === 1 ? all.sort((a, b) => a.line - b.line) : all;
}

const indentOf = ({ text }: MarkedLine): number => text.length - text.trimStart().length;

/** The code that marks lie in, and the marks that lie in none that can be read. */
export function markedCode(
  tables: document.PlaceTables,
  marks: readonly CodeMark[],
  style: CodeStyle,
): { readonly lines: readonly string[]; readonly homeless: readonly CodeMark[] } {
  const found = marks.map((mark) => lineOf(tables, mark, style));
  const shown = gathered(found.filter((line) => line !== undefined));
  const several = new Set(shown.map(({ file }) => file)).size > 1;
  const numbers = shown.map(({ file, line }) => (several ? `${printable(baseName(file))}:${line}` : String(line)));
  const gutter = Math.max(4, ...numbers.map(({ length }) => length));
  const shared = Math.min(...shown.map(indentOf));
  const room = style.width - gutter - 6;
  const lines = shown.flatMap((line, at) => {
    const inner = " ".repeat(Math.min(indentOf(line) - shared, room / 2));
    const code = `${inner}${line.text.trim()}`;
    const said = line.says.flatMap((says) => {
      const [first = "", ...more] = wrapped(printable(says), room - inner.length - 2, "");
      return [`${inner}^ ${first}`, ...more.map((text) => `${inner}  ${text}`)];
    });
    const bar = `  ${" ".repeat(gutter)} |  `;
    return [
      `  ${numbers[at]!.padStart(gutter)} |  ${clipped(code, room)}`.trimEnd(),
      ...said.map((text) => `${bar}${style.highlight(text)}`),
    ];
  });
  return { lines, homeless: marks.filter((_, at) => found[at] === undefined) };
}
