/** A unified diff as lines to show. */
export interface DiffLine {
  readonly kind: "file" | "hunk" | "added" | "removed" | "same";
  readonly text: string;
  /** Line numbers in the old and the new file, where the line is there. */
  readonly old?: number;
  readonly new?: number;
}

const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [0, 0];
  let inside = false;
  for (const text of diff.replace(/\n$/, "").split("\n")) {
    const begins = hunk.exec(text);
    if (begins !== null) {
      [before, after, inside] = [Number(begins[1]), Number(begins[2]), true];
      lines.push({ kind: "hunk", text });
    } else if (!inside || /^(---|\+\+\+|diff |index )/.test(text)) {
      inside = false;
      lines.push({ kind: "file", text });
    } else if (text.startsWith("+")) lines.push({ kind: "added", text: text.slice(1), new: after++ });
    else if (text.startsWith("-")) lines.push({ kind: "removed", text: text.slice(1), old: before++ });
    else if (!text.startsWith("\\")) lines.push({ kind: "same", text: text.slice(1), old: before++, new: after++ });
  }
  return lines;
}
