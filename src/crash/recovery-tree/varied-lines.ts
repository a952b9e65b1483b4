/**
 * Which lines of persistent files calls changed between points, so that stores alone do not tell what a recovery reads there. Most calls
 * change none: msync and munmap leave in the file what stores brought to its mapping. Always:
 * - A line is varied unless, at every point before its first store, the file holds for it what it held when that store came.
 * - Where a file is not always there, or what lies below its own pages is replaced, all of its lines are.
 */
import type { FileContents, FileVersion } from "../../machine/index.ts";
import { pagesIn, pathFromText, poolFileIn } from "../../machine/index.ts";
import type { TracedFiles } from "../states/index.ts";
import type { PointTables, TracePoints } from "./trace-points.ts";

/** Lines of one file by their places in it, in order. */
export type VariedLines = "all" | readonly number[];

export const areVaried = (lines: VariedLines): boolean => lines.length > 0;

/** A version of the files, and the first point that it holds at. */
export interface PointVersion {
  readonly version: number;
  readonly from: number;
}

/** What one file holds, and from which point on. */
type Held = readonly [contents: FileContents, from: number];

/** What is asked of the points. */
type LinePoints = Pick<TracePoints, "lines" | "place" | "lineAt" | "firstStored" | "base" | "bytes"> & {
  readonly tables: Pick<PointTables, "paths">;
};

type Lines = (contents: FileContents, index: number) => Uint8Array;

const linesPerPage = 64;

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

/** Where two values differ by no more than their own pages. */
const haveOneGround = (a: FileContents, b: FileContents): boolean =>
  a.size === b.size && a.lower === b.lower && a.lowerSize === b.lowerSize && a.holes === b.holes;

/** The pages that one of them has and the other has not, or otherwise. */
function* unequalPages(a: FileContents, b: FileContents): Iterable<number> {
  if (a.pages === b.pages) return;
  const pages = new Map(pagesIn(a));
  for (const [page, bytes] of pagesIn(b)) {
    const before = pages.get(page);
    pages.delete(page);
    if (before === undefined || (before !== bytes && !isEqual(before, bytes))) yield page;
  }
  yield* pages.keys();
}

/** By file of the points, in their order. */
export function variedLines(
  points: LinePoints,
  versions: readonly PointVersion[],
  history: Pick<TracedFiles, "read" | "reader">,
): readonly VariedLines[] {
  const files = versions.map(({ version, from }) => ({ files: history.read(version), from }));
  return points.tables.paths.map((path, file) => {
    const held = heldIn(pathFromText(path), files);
    return held === undefined ? "all" : new FileLines(points, file, history).varied(held);
  });
}

/** Undefined where the file is not always one of the versions' own. Nothing where it never is. */
function heldIn(
  pool: string,
  versions: readonly { readonly files: FileVersion; readonly from: number }[],
): readonly Held[] | undefined {
  const there = versions.map(({ files, from }) => ({ file: poolFileIn(files, pool), from }));
  if (there.every(({ file }) => file === "host")) return [];
  const held: Held[] = [];
  for (const { file, from } of there) {
    if (typeof file === "string") return undefined;
    if (held.at(-1)?.[0] !== file.contents) held.push([file.contents, from]);
  }
  return held;
}

class FileLines {
  readonly #points: LinePoints;
  readonly #file: number;
  /** One for each side of a comparison: they keep the last page. */
  readonly #before: Lines;
  readonly #now: Lines;

  constructor(points: LinePoints, file: number, history: Pick<TracedFiles, "reader">) {
    this.#points = points;
    this.#file = file;
    const [before, now] = [history.reader(), history.reader()];
    this.#before = (contents, index) => before.line(contents, index);
    this.#now = (contents, index) => now.line(contents, index);
  }

  varied(held: readonly Held[]): VariedLines {
    const varied = new Set<number>();
    for (const [at, [now, from]] of held.entries()) {
      const before = held[at - 1]?.[0];
      if (before === undefined) continue;
      if (!haveOneGround(before, now)) return "all";
      for (const index of this.#unequalLines(before, now)) if (this.#isUnstored(index, from)) varied.add(index);
    }
    if (held.length > 1) for (const index of this.#changedUnseen(held)) varied.add(index);
    return [...varied].sort((a, b) => a - b);
  }

  #isUnstored(index: number, point: number): boolean {
    const line = this.#points.lineAt(this.#file, index);
    const first = line === undefined ? undefined : this.#points.firstStored(line);
    return first === undefined || point < first;
  }

  *#unequalLines(before: FileContents, now: FileContents): Iterable<number> {
    for (const page of unequalPages(before, now))
      for (let index = page * linesPerPage; index < (page + 1) * linesPerPage; index++)
        if (!isEqual(this.#before(before, index), this.#now(now, index))) yield index;
  }

  /** Lines that calls changed between the last point before their first store and that store. */
  *#changedUnseen(held: readonly Held[]): Iterable<number> {
    const points = this.#points;
    for (let line = 0; line < points.lines; line++) {
      const { file, index } = points.place(line);
      const first = points.firstStored(line);
      if (file !== this.#file || first === undefined || first === 0) continue;
      const [contents] = held.findLast(([, from]) => from < first)!;
      if (!isEqual(this.#before(contents, index), points.bytes(points.base(line)))) yield index;
    }
  }
}
