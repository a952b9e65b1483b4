/**
 * What one or several crashes may leave: for each line that anybody stored to a set of contents, whatever the others hold,
 * over files that are the same in all of these states. Always:
 * - After the program's crash, they are all crash states of one failure point.
 * - After a crash inside a recovery, they are all that crashes at one point of it leave on states that gave it the same
 *   answers: on those it does the same, and what it did not store shows what the line held before.
 */
import { PointView, type TracePoints } from "../../crash/recovery-tree/index.ts";
import { type Content, type Contents, type LineSet, setOf } from "./contents.ts";
import type { FileAnswers, FilesAfter } from "./files-after.ts";
import type { TracedPoints } from "./ordered-states.ts";

/** The crash inside a recovery that led here. */
export interface CrashedRecovery {
  readonly before: Aftermath;
  readonly recovery: TracedPoints;
  /** Of the recovery's points. */
  readonly point: number;
}

export interface Aftermath {
  /** Of the program's points. */
  readonly point: number;
  /** So many so far. */
  readonly crashes: number;
  readonly files: FilesAfter;
  /** By number of the line. */
  readonly lines: ReadonlyMap<number, LineSet>;
  readonly origin?: CrashedRecovery;
}

/** Numbers for lines of persistent files; those of lines that the program stored to are its own. */
export class LineNumbers {
  readonly #places: { readonly file: number; readonly index: number }[] = [];
  readonly #numbers = new Map<number, Map<number, number>>();

  constructor(points: TracePoints) {
    for (let line = 0; line < points.lines; line++) {
      const { file, index } = points.place(line);
      this.of(file, index);
    }
  }

  of(file: number, index: number): number {
    const own = this.#numbers.get(file) ?? new Map<number, number>();
    this.#numbers.set(file, own);
    const number = own.get(index) ?? this.#places.push({ file, index }) - 1;
    own.set(index, number);
    return number;
  }

  place(line: number): { readonly file: number; readonly index: number } {
    return this.#places[line]!;
  }
}

/** The aftermaths of the program's own crashes, asked for in increasing order of points. */
export class FirstAftermaths {
  readonly #points: TracePoints;
  readonly #contents: Contents;
  readonly #answers: FileAnswers;
  readonly #view: PointView;
  readonly #sets = new Map<number, LineSet>();
  readonly #known: (Content | undefined)[] = [];

  constructor(points: TracePoints, contents: Contents, answers: FileAnswers) {
    this.#points = points;
    this.#contents = contents;
    this.#answers = answers;
    this.#view = new PointView(points);
  }

  at(point: number): Aftermath {
    this.#view.moveTo(point, (line) => this.#sets.delete(line));
    for (let line = 0; line < this.#points.lines; line++)
      if (!this.#sets.has(line) && this.#points.isStored(line, point)) this.#sets.set(line, this.#window(line));
    return { point, crashes: 1, files: this.#answers.atPoint(point), lines: new Map(this.#sets) };
  }

  #window(line: number): LineSet {
    const [low, high] = [this.#view.low[line]!, this.#view.high[line]!];
    return setOf(Array.from({ length: high - low + 1 }, (_, i) => this.#content(low + i)));
  }

  #content(number: number): Content {
    const { cuts } = this.#points.tables;
    const bytes = this.#points.bytes(number);
    this.#known[number] ??= this.#contents.make(new Int32Array(bytes.slice().buffer), {
      crash: 1,
      number,
      torn: cuts[2 * number + 1] !== 0,
      before: undefined,
    });
    return this.#known[number];
  }
}
