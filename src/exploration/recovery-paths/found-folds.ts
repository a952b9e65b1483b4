/**
 * Functions and loops of the recovery that take checksums, found without being named. Where recovery reads lines in a row that may hold so
 * many contents together that going through all of them would not end, the code that does is looked at (fold-check.ts): the function, and
 * the loops around, where a compiler put it into its caller.
 * Always: while what is read in a row can be gone through, nothing is assumed.
 */

import {
  type Asked,
  foldedBit,
  type PlannedPoints,
  PointRunner,
  PointView,
  type TracePoints,
  wordsPerLine,
} from "../../crash/recovery-tree/index.ts";
import { crashAt, cutBefore } from "../../crash/states/index.ts";
import { type Machine, pathFromText } from "../../machine/index.ts";
import { LoadPlaces, type Subject, type TracedRun } from "../../session/subject/index.ts";
import { FoldCheck } from "./fold-check.ts";
import { entriesOf } from "./fold-trials.ts";

/** Combinations of a row that are gone through, if need be. */
const mostCombinations = 512;
/** A checksum of fewer lines is none that anybody would notice. */
const leastLines = 2;
/** How far words of a row lie apart at most. */
const widestGap = wordsPerLine;
/** Crash states that are looked at, and rows in each. */
const mostStates = 6;
const mostRows = 4;

/** What BLACKOUT_CHECKSUM of include/blackout.h makes of a function's name. */
const annotation = "blackout_checksum_";

/** Functions of the recovery program that its author says take checksums. */
export const annotatedFolds = (machine: Pick<Machine, "symbolsLike">): readonly string[] =>
  machine.symbolsLike(annotation).map((name) => name.slice(annotation.length));

/** Four bytes of a persistent file in the middle of a row. */
interface RowMiddle {
  readonly path: string;
  readonly word: number;
}

/** `known`: what is read in these is no reason to look. */
export function findFolds(
  planned: PlannedPoints,
  { history }: Pick<TracedRun, "history">,
  subject: Subject,
  maxInstructions: number,
  known: readonly string[],
): readonly string[] {
  const { points, source } = planned;
  const view = new PointView(points);
  const states = busyPoints(planned);
  if (states.length === 0) return [];
  const runner = new PointRunner(points, history, subject.recovery().recovery, maxInstructions, known);
  const finder = new FoldFinder(planned, subject, maxInstructions);
  for (const state of states) {
    view.moveTo(state);
    const rows = rowsIn(runner.run(state, []).asked, planned, view);
    const crash = crashAt(source, { ...cutBefore(points.point(state)), cuts: [] });
    if (crash !== undefined) for (const row of rows) finder.look(crash.layout, row);
  }
  return finder.found;
}

class FoldFinder {
  readonly #planned: PlannedPoints;
  readonly #subject: Subject;
  readonly #maxInstructions: number;
  readonly #paths: readonly string[];
  readonly #loads: LoadPlaces;
  /** By entries. */
  readonly #names = new Map<string, string | undefined>();
  #check: FoldCheck | undefined;

  constructor(planned: PlannedPoints, subject: Subject, maxInstructions: number) {
    this.#planned = planned;
    this.#subject = subject;
    this.#maxInstructions = maxInstructions;
    this.#paths = planned.points.tables.paths.map(pathFromText);
    this.#loads = new LoadPlaces(subject, maxInstructions);
  }

  get found(): readonly string[] {
    return [...new Set(this.#names.values())].filter((name) => name !== undefined);
  }

  look(layout: Parameters<FoldCheck["nameOf"]>[1], row: RowMiddle): void {
    const watched = new Set(this.#paths);
    const { words } = this.#loads.used(layout, watched);
    const use = words.findIndex(({ path, word }) => path === row.path && word === row.word);
    if (use < 0) return;
    const { called, loops } = this.#loads.codeAround(layout, watched, use);
    const isOpen = (path: string, index: number) =>
      this.#planned.points.lineAt(this.#paths.indexOf(path), index) !== undefined;
    for (const code of [...(called === undefined ? [] : [called]), ...loops]) {
      const key = entriesOf(code).join();
      if (this.#names.get(key) === undefined) {
        this.#check ??= new FoldCheck(this.#subject.recovery().recovery, watched, this.#maxInstructions);
        this.#names.set(key, this.#check.nameOf(code, layout, isOpen, leastLines));
      }
      if (this.#names.get(key) !== undefined) return;
    }
  }
}

/** Points where most lines are open and may hold different bytes: a new pool's zeros over zeros are nobody's combinations. */
function busyPoints({ points, mostOpen }: PlannedPoints): readonly number[] {
  if (mostOpen < leastLines) return [];
  const view = new PointView(points);
  const open = new Set<number>();
  const counts: (readonly [point: number, open: number])[] = [];
  for (let point = 0; point < points.count; point++) {
    view.moveTo(point, (line) => void (mayDiffer(points, line, view) ? open.add(line) : open.delete(line)));
    if (open.size >= leastLines) counts.push([point, open.size]);
  }
  return counts
    .sort((a, b) => b[1] - a[1])
    .slice(0, mostStates)
    .map(([point]) => point);
}

/** The rows with too many combinations, the largest first. */
function rowsIn({ questions }: Asked, { points }: PlannedPoints, view: PointView): readonly RowMiddle[] {
  const paths = points.tables.paths.map(pathFromText);
  const words = [...questions]
    .filter((question) => question >= 0 && (question & foldedBit) === 0)
    .map((question) => {
      const line = Math.floor(question / wordsPerLine);
      const { file, index } = points.place(line);
      return { line, path: paths[file]!, word: index * wordsPerLine + (question % wordsPerLine) };
    });
  const rows: (RowMiddle & { readonly combinations: number })[] = [];
  for (let from = 0; from < words.length; ) {
    let to = from + 1;
    while (to < words.length && follows(words[to - 1]!, words[to]!)) to++;
    const lines = new Set(words.slice(from, to).map(({ line }) => line));
    const combinations = [...lines].reduce((product, line) => product * differentContents(points, line, view), 1);
    const { path, word } = words[Math.floor((from + to) / 2)]!;
    if (combinations > mostCombinations) rows.push({ path, word, combinations });
    from = to;
  }
  return rows.sort((a, b) => b.combinations - a.combinations).slice(0, mostRows);
}

/** Whether what the line may hold differs in any byte. */
function mayDiffer({ contents }: TracePoints, line: number, { low, high }: PointView): boolean {
  const first = contents.words(low[line]!).slice();
  for (let content = low[line]! + 1; content <= high[line]!; content++)
    if (contents.words(content).some((word, at) => word !== first[at])) return true;
  return false;
}

function differentContents(points: TracePoints, line: number, { low, high }: PointView): number {
  const contents = new Set<string>();
  for (let content = low[line]!; content <= high[line]!; content++) contents.add(points.bytes(content).join());
  return contents.size;
}

const follows = (one: RowMiddle, next: RowMiddle): boolean =>
  one.path === next.path && next.word > one.word && next.word - one.word <= widestGap;
