/**
 * Answers to questions that are not about stored lines: what was printed, names, listings, lines that file calls wrote.
 * Always: answers are equal when what recovery would see is, in whatever trace: they stand for digests of contents.
 */

import { pathFromText, poolFileIn } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { FileHistory } from "../states/index.ts";
import type { OtherQuestion } from "./asked.ts";
import { bytesDigest, FileDigests } from "./file-digests.ts";
import type { TracePoints } from "./trace-points.ts";

/** A line of a file, and the first point behind a store to it. */
interface WholeLine {
  readonly file: number;
  readonly index: number;
  readonly firstStored: number;
}

interface Known {
  readonly text: OtherQuestion;
  readonly line: WholeLine | undefined;
  /** By what the answer depends on (`#dependsOn`): one more than its number. */
  readonly answers: number[];
}

export class OtherAnswers {
  readonly #points: TracePoints;
  readonly #history: FileHistory;
  readonly #questions: Known[] = [];
  readonly #ids = new Map<OtherQuestion, number>();
  /** By digest. */
  readonly #numbers = new Map<string, number>();
  readonly #digests: FileDigests;
  /** By point: equal where the files are, and where what was printed is. */
  readonly #files: Int32Array;
  readonly #printed: Int32Array;
  /** By point: whether calls changed a line before, and something is first stored to it behind the point before. */
  readonly #storesVaried: Uint8Array;

  constructor(points: TracePoints, history: FileHistory) {
    this.#points = points;
    this.#history = history;
    this.#digests = new FileDigests((contents, offset, into) => history.readContents(contents, offset, into));
    this.#files = numbered(points.count, (point) => `${points.version(point, history)} ${points.filesAt(point)}`);
    this.#printed = numbered(points.count, (point) => points.printedBytes(point));
    this.#storesVaried = variedAt(points);
  }

  id(text: OtherQuestion): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    this.#questions.push({ text, line: this.#lineOf(text), answers: [] });
    this.#ids.set(text, this.#questions.length - 1);
    return this.#questions.length - 1;
  }

  #lineOf(text: OtherQuestion): WholeLine | undefined {
    if (!text.startsWith("=")) return undefined;
    const [file, index] = text.slice(1).split(" ").map(Number) as [number, number];
    const line = this.#points.lineAt(file, index);
    const firstStored = line === undefined ? undefined : this.#points.firstStored(line);
    return { file, index, firstStored: firstStored ?? Number.POSITIVE_INFINITY };
  }

  answer(id: number, point: number): number {
    const known = this.#questions[id]!;
    const on = this.#dependsOn(known, point);
    const answer = known.answers[on];
    if (answer !== undefined && answer > 0) return answer - 1;
    const digest = this.#digestOf(known, point);
    const number = this.#numbers.get(digest) ?? this.#numbers.size;
    this.#numbers.set(digest, number);
    // Holes would make each look-up slow.
    while (known.answers.length <= on) known.answers.push(0);
    known.answers[on] = number + 1;
    return number;
  }

  /** Equal at two points where the answer is, too; 0 for a line that was stored to. */
  #dependsOn({ text, line }: Known, point: number): number {
    if (line !== undefined) return line.firstStored <= point ? 0 : 1 + this.#files[point]!;
    return text === "acknowledged" ? this.#printed[point]! : this.#files[point]!;
  }

  /** Whether an answer may be another than at the point before. */
  mayDiffer(point: number): boolean {
    const before = point - 1;
    return (
      this.#storesVaried[point] === 1 ||
      this.#printed[point] !== this.#printed[before] ||
      this.#files[point] !== this.#files[before]
    );
  }

  text(id: number): OtherQuestion {
    return this.#questions[id]!.text;
  }

  /** Equal where what recovery would see is, in any trace. */
  digest(text: OtherQuestion, point: number): string {
    return this.#digestOf({ text, line: this.#lineOf(text) }, point);
  }

  #digestOf({ text, line }: Pick<Known, "text" | "line">, point: number): string {
    if (text === "acknowledged") return bytesDigest(this.#points.printed(point));
    if (line !== undefined) return line.firstStored <= point ? "stored" : this.#lineDigest(line, point);
    const files = this.#history.read(this.#points.version(point, this.#history));
    if (text === "listing") return this.#digests.listing(files);
    const persistent = new Set(this.#points.tables.paths.slice(0, this.#points.filesAt(point)).map(pathFromText));
    return this.#digests.name(files, text.slice(1), persistent);
  }

  #lineDigest({ file, index }: WholeLine, point: number): string {
    const pool = pathFromText(this.#points.tables.paths[file]!);
    const there = poolFileIn(this.#history.read(this.#points.version(point, this.#history)), pool);
    const contents =
      typeof there === "object" ? there.contents : this.#history.contentsAt(pool, this.#points.point(point).seq);
    const line = contents === undefined ? new Uint8Array(lineBytes) : this.#history.reader().line(contents, index);
    return bytesDigest(line);
  }
}

/** Each point's value by a small number. */
function numbered(count: number, of: (point: number) => string | number): Int32Array {
  const numbers = new Map<string | number, number>();
  return Int32Array.from({ length: count }, (_, point) => {
    const value = of(point);
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    return number;
  });
}

/** The points that are the first behind a store to a varied line. */
function variedAt(points: TracePoints): Uint8Array {
  const at = new Uint8Array(points.count);
  const { varied } = points.tables;
  const sets = varied.map((lines) => (lines === "all" ? undefined : new Set(lines)));
  for (let line = 0; line < points.lines; line++) {
    const { file, index } = points.place(line);
    const first = points.firstStored(line);
    if (first !== undefined && (sets[file]?.has(index) ?? true)) at[first] = 1;
  }
  return at;
}
