/** Source lines to show: those around the places of a finding, each file once, with what is said about its lines. */
import type * as document from "../../document/index.ts";
import { shownFrame } from "../../document/index.ts";

export interface LineNote {
  readonly role: document.PlaceRole;
  readonly fact?: document.PlaceFact | undefined;
  readonly says: string;
  readonly event: number;
}
export interface ShownLine {
  readonly number: number;
  readonly text: string;
  readonly notes: readonly LineNote[];
}
export interface ShownFile {
  readonly file: string;
  /** Runs of lines with something left out between them. */
  readonly parts: readonly (readonly ShownLine[])[];
}

/** Lines shown around a place. */
const around = 3;

function notesByFile(
  report: document.Report,
  places: readonly document.MarkedPlace[],
): Map<string, Map<number, LineNote[]>> {
  const files = new Map<string, Map<number, LineNote[]>>();
  for (const { place, role, fact, says, event } of places) {
    const { file, line } = shownFrame(report, place) ?? {};
    if (file === undefined || line === undefined) continue;
    const lines = files.get(file) ?? new Map<number, LineNote[]>();
    const notes = lines.get(line) ?? [];
    // What happens there many times is said once, and where something is wrong, not that it is wrong there too.
    if (notes.some((note) => (note.role === role && note.says === says) || role === "also")) continue;
    files.set(file, lines.set(line, [...notes, { role, fact, says, event }]));
  }
  return files;
}

/** The part of an excerpt that its notes need, cut where nothing is said for a while. */
function partsOf({ from, lines }: document.Excerpt, notes: ReadonlyMap<number, readonly LineNote[]>): ShownLine[][] {
  const near = (number: number) => [...notes.keys()].some((noted) => Math.abs(noted - number) <= around);
  const parts: ShownLine[][] = [];
  let last = Number.NaN;
  for (const [at, text] of lines.entries()) {
    const number = from + at;
    if (!near(number)) continue;
    if (number !== last + 1) parts.push([]);
    parts.at(-1)!.push({ number, text, notes: notes.get(number) ?? [] });
    last = number;
  }
  return parts;
}

/** Files in the order in which the places name them. */
export function shownFiles(report: document.Report, places: readonly document.MarkedPlace[]): ShownFile[] {
  return [...notesByFile(report, places)].flatMap(([file, notes]) => {
    const source = report.sources?.find((each) => each.file === file);
    const parts = source?.excerpts.flatMap((excerpt) => partsOf(excerpt, notes)) ?? [];
    return parts.length === 0 ? [] : [{ file, parts }];
  });
}

/** The text of one source line, if the report has it. */
export function sourceLine({ sources }: document.Report, { file, line }: document.Frame): string | undefined {
  if (line === undefined) return undefined;
  const excerpt = sources
    ?.find((source) => source.file === file)
    ?.excerpts.find(({ from, lines }) => line >= from && line < from + lines.length);
  return excerpt?.lines[line - excerpt.from];
}
