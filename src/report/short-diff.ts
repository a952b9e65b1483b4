/** A diff as a terminal shows it: of each file, the lines that change, by the numbers they will have. */
import { printable } from "../base/index.ts";
import { type DiffLine, diffLines } from "../document/index.ts";

const shownLines = 12;
const digits = 5;

const signs: Readonly<Partial<Record<DiffLine["kind"], string>>> = { added: "+", removed: "-" };

function textOf(line: DiffLine): readonly string[] {
  if (line.kind === "file")
    return line.text.startsWith("+++ ") ? [`  change in ${line.text.slice(4).replace(/^b\//, "")}:`] : [];
  const sign = signs[line.kind];
  return sign === undefined ? [] : [`${`${line.new ?? line.old}`.padStart(digits)} ${sign}${line.text}`];
}

export function shortDiff(diff: string): readonly string[] {
  const lines = diffLines(diff).flatMap(textOf).map(printable);
  const more = lines.length - shownLines;
  return more > 0 ? [...lines.slice(0, shownLines), `  and ${more} lines more: blackout fix prints them all`] : lines;
}
