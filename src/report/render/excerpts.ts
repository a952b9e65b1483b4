/** The lines of the user's sources that a report's places lie in, with enough around them to read. */
import type * as document from "../document/index.ts";

/** Lines before and after a place. */
const around = 12;
/** Guards against generated files whose lines are whole programs. */
const longestLine = 500;

/** Ranges of lines, from and to included, joined where they meet. */
export function joined(numbers: readonly number[], last: number): (readonly [from: number, to: number])[] {
  const ranges: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    if (number < 1 || number > last) continue;
    const [from, to] = [Math.max(1, number - around), Math.min(last, number + around)];
    const before = ranges.at(-1);
    if (before !== undefined && from <= before[1] + 1) before[1] = to;
    else ranges.push([from, to]);
  }
  return ranges;
}

export function sourcesOf(
  frames: readonly document.Frame[],
  readSource: (path: string) => string | undefined,
): document.SourceFile[] {
  const wanted = new Map<string, number[]>();
  for (const { file, line, library } of frames)
    if (file !== undefined && line !== undefined && !library) wanted.set(file, [...(wanted.get(file) ?? []), line]);
  const sources: document.SourceFile[] = [];
  for (const [file, numbers] of wanted) {
    const lines = readSource(file)?.split(/\r?\n/);
    if (lines === undefined) continue;
    const excerpts = joined(numbers, lines.length).map(([from, to]) => ({
      from,
      lines: lines.slice(from - 1, to).map((line) => line.slice(0, longestLine)),
    }));
    if (excerpts.length > 0) sources.push({ file, excerpts });
  }
  return sources;
}
