/** A diff as a terminal shows it: the lines that change, by the numbers they will have. */
import { printableLines } from "../../base/index.ts";
import { baseName, type DiffLine, diffLines } from "../document/index.ts";

const tab = "    ";
const signs: Readonly<Partial<Record<DiffLine["kind"], string>>> = { added: "+", removed: "-" };

interface ChangedLine {
  readonly where: string;
  readonly sign: string;
  readonly text: string;
}

function changedLines(diff: string): readonly ChangedLine[] {
  let file = "";
  return diffLines(diff).flatMap(({ kind, text, old, new: number }) => {
    if (kind === "file" && text.startsWith("+++ ")) file = baseName(text.slice(4).replace(/\t.*/, ""));
    const sign = signs[kind];
    if (sign === undefined) return [];
    return [{ where: `${file}:${number ?? old}`, sign, text: printableLines(text.replaceAll("\t", tab)) }];
  });
}

const indentOf = (text: string): number => text.length - text.trimStart().length;

/** "log.c:22 + pmem_drain();": as far in as they are among each other. */
export function shortDiff(diff: string): readonly string[] {
  const lines = changedLines(diff).map((line) => ({ ...line, where: printableLines(line.where) }));
  const shared = Math.min(...lines.filter(({ text }) => text.trim() !== "").map(({ text }) => indentOf(text)));
  const gutter = Math.max(...lines.map(({ where }) => where.length));
  return lines.map(({ where, sign, text }) => `${where.padEnd(gutter)} ${sign} ${text.slice(shared)}`.trimEnd());
}
