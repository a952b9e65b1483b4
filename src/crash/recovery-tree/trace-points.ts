/**
 * The failure points of a trace, with what every line may hold at each of them. Always:
 * - A point lies before an event that makes stores sure to survive, before what recovery can see of outputs and file calls,
 *   or at the end. Every crash state of the trace is one of these points' (docs/MODEL.md §2, "Crash points").
 * - Lines and contents are numbers. At a point, a line may hold any of a range of its contents, whatever others hold; the
 *   last of them is the line with every store.
 * - All of it is words in shared memory: threads look at the same tables.
 */

import { type LineCut, placeOfLine } from "../../model/pmem/index.ts";
import { codeOf, kindOf } from "../../trace/record/index.ts";
import type { FailurePoint, FileVersions } from "../states/index.ts";
import { versionOf } from "../states/index.ts";
import { type ContentTable, ContentWords } from "./content-words.ts";
import type { VariedLines } from "./varied-lines.ts";

/** Plain data: goes to other threads as it is. */
export interface PointTables {
  /** Of each point: event, kind, thread, site, stack, own version of files and 1, bytes printed, files mapped, first change. */
  readonly points: Int32Array;
  /** Lines whose range is another than at the point before: line, first and last content. */
  readonly changes: Int32Array;
  /** By line: its key in two words, its first content, its first window. One more at the end. */
  readonly lines: Int32Array;
  /** By line, in order: from which point on, first and last content. */
  readonly windows: Int32Array;
  /** By content: stores of the line that it keeps, pieces of the next one. */
  readonly cuts: Int32Array;
  /** By content: its bytes. */
  readonly contents: ContentTable;
  /** What was printed in all. */
  readonly printed: Uint8Array;
  /** Persistent files by number, as the trace names them. */
  readonly paths: readonly string[];
  /** By file: lines that calls changed between points. */
  readonly varied: readonly VariedLines[];
  /** Last names of files that any point's version has otherwise than the host. */
  readonly names: readonly string[];
}

export const pointWords = 9;
export const lineWords = 4;
export const windowWords = 3;
const endCode = 0xff;
const callCode = 0xfe;
const halfKey = 2 ** 26;

export const pointCode = (before: FailurePoint["before"]): number =>
  before === "end" ? endCode : before === "call" ? callCode : codeOf[before];
const kindOfCode = (code: number): FailurePoint["before"] =>
  code === endCode ? "end" : code === callCode ? "call" : kindOf(code)!;

/** A line's key as two words. */
export const keyWords = (key: number): readonly [number, number] => [Math.floor(key / halfKey), key % halfKey];

export class TracePoints {
  readonly tables: PointTables;
  readonly contents: ContentWords;
  /** By file, from a line's index in it to its number. */
  readonly #numbers: readonly Map<number, number>[];

  constructor(tables: PointTables) {
    this.tables = tables;
    this.contents = new ContentWords(tables.contents, tables.cuts.length / 2);
    this.#numbers = tables.paths.map(() => new Map());
    for (let line = 0; line < this.lines; line++) {
      const { file, index } = this.place(line);
      this.#numbers[file]!.set(index, line);
    }
  }

  get count(): number {
    return this.tables.points.length / pointWords;
  }
  get lines(): number {
    return this.tables.lines.length / lineWords - 1;
  }

  point(number: number): FailurePoint {
    const at = number * pointWords;
    const [seq, code, thread, site, stack, files] = this.tables.points.subarray(at, at + pointWords);
    const version = files === 0 ? {} : { version: files! - 1 };
    return {
      seq: seq! >>> 0,
      before: kindOfCode(code!),
      thread: thread!,
      site: site! >>> 0,
      stack: stack!,
      ...version,
    };
  }

  /** Where each point lies in the trace: the event that it is before. */
  positions(): Uint32Array {
    const positions = new Uint32Array(this.count);
    for (let number = 0; number < this.count; number++) positions[number] = this.tables.points[number * pointWords]!;
    return positions;
  }

  /** The number of the point before an event; of several between two file calls, the one of this version of the files. */
  at(seq: number, version: number | undefined): number | undefined {
    for (let number = 0; number < this.count; number++) {
      const point = this.point(number);
      if (point.seq === seq && point.version === version) return number;
    }
    return undefined;
  }

  version(number: number, versions: FileVersions): number {
    return versionOf(versions, this.point(number));
  }

  printedBytes(number: number): number {
    return this.tables.points[number * pointWords + 6]!;
  }

  printed(number: number): Uint8Array {
    return this.tables.printed.subarray(0, this.printedBytes(number));
  }

  /** How many persistent files had been mapped. */
  filesAt(number: number): number {
    return this.tables.points[number * pointWords + 7]!;
  }

  /** The changes between the point before and this one, as positions in `changes`. */
  changesAt(number: number): readonly [from: number, to: number] {
    const { points, changes } = this.tables;
    const from = points[number * pointWords + 8]!;
    return [from, number + 1 === this.count ? changes.length : points[(number + 1) * pointWords + 8]!];
  }

  key(line: number): number {
    const at = line * lineWords;
    return this.tables.lines[at]! * halfKey + this.tables.lines[at + 1]!;
  }

  place(line: number): { readonly file: number; readonly index: number } {
    return placeOfLine(this.key(line));
  }

  /** The number of a file's line; undefined when nothing was stored to it. */
  lineAt(file: number, index: number): number | undefined {
    return this.#numbers[file]!.get(index);
  }

  /** What the line held before anything was stored to it. */
  base(line: number): number {
    return this.tables.lines[line * lineWords + 2]!;
  }

  /** All contents that the line ever has: the first, and the first behind them. */
  contentsOf(line: number): readonly [first: number, end: number] {
    const { lines } = this.tables;
    return [lines[line * lineWords + 2]!, lines[(line + 1) * lineWords + 2]!];
  }

  /** What the line may hold at a point; its base before anything was stored to it. */
  window(line: number, point: number): readonly [low: number, high: number] {
    const { lines, windows } = this.tables;
    const base = this.base(line);
    let low = lines[line * lineWords + 3]! - 1;
    const first = low;
    let high = lines[(line + 1) * lineWords + 3]! - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (windows[middle * windowWords]! <= point) low = middle;
      else high = middle - 1;
    }
    return low === first ? [base, base] : [windows[low * windowWords + 1]!, windows[low * windowWords + 2]!];
  }

  /** The first point that a store to the line came before; undefined where none does. */
  firstStored(line: number): number | undefined {
    const { lines, windows } = this.tables;
    const first = lines[line * lineWords + 3]!;
    return first < lines[(line + 1) * lineWords + 3]! ? windows[first * windowWords]! : undefined;
  }

  /** Whether a store to the line came before the point. */
  isStored(line: number, point: number): boolean {
    const first = this.firstStored(line);
    return first !== undefined && first <= point;
  }

  /** A copy. */
  bytes(content: number): Uint8Array {
    return this.contents.bytes(content);
  }

  /** The content that a cut of the line leaves at a point. */
  contentAt(line: number, point: number, { kept, pieces }: LineCut): number | undefined {
    const [low, high] = this.window(line, point);
    for (let content = low; content <= high; content++) {
      const cut = this.cut(content, low);
      if (cut.kept === kept && cut.pieces === pieces) return content;
    }
    return undefined;
  }

  /** The content as a cut of its line, where this one is the first that a crash may leave. */
  cut(content: number, low: number): LineCut {
    const { cuts } = this.tables;
    return { kept: cuts[2 * content]! - cuts[2 * low]!, pieces: cuts[2 * content + 1]! };
  }
}
