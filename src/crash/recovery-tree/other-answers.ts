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

export class OtherAnswers {
  readonly #points: TracePoints;
  readonly #history: FileHistory;
  readonly #texts: OtherQuestion[] = [];
  readonly #ids = new Map<OtherQuestion, number>();
  /** By digest. */
  readonly #numbers = new Map<string, number>();
  /** By question and by what its answer depends on. */
  readonly #known = new Map<string, number>();
  readonly #digests: FileDigests;

  constructor(points: TracePoints, history: FileHistory) {
    this.#points = points;
    this.#history = history;
    this.#digests = new FileDigests((contents, offset, into) => history.readContents(contents, offset, into));
  }

  id(text: OtherQuestion): number {
    const id = this.#ids.get(text) ?? this.#texts.push(text) - 1;
    this.#ids.set(text, id);
    return id;
  }

  answer(id: number, point: number): number {
    const text = this.#texts[id]!;
    const version = () => this.#points.version(point, this.#history);
    const key =
      text === "acknowledged"
        ? `a ${this.#points.printedBytes(point)}`
        : `${id} ${version()} ${this.#points.filesAt(point)} ${this.#stored(text, point)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const digest = this.digest(text, point);
    const number = this.#numbers.get(digest) ?? this.#numbers.size;
    this.#numbers.set(digest, number);
    this.#known.set(key, number);
    return number;
  }

  /** Whether an answer may be another than at the point before. */
  mayDiffer(point: number): boolean {
    const points = this.#points;
    return (
      points.tables.varied.includes(true) ||
      points.printedBytes(point) !== points.printedBytes(point - 1) ||
      points.filesAt(point) !== points.filesAt(point - 1) ||
      points.version(point, this.#history) !== points.version(point - 1, this.#history)
    );
  }

  /** Of a line: whether its stores tell what it holds. */
  #stored(text: OtherQuestion, point: number): boolean {
    if (!text.startsWith("=")) return false;
    const [file, index] = text.slice(1).split(" ").map(Number);
    const line = this.#points.lineAt(file!, index!);
    return line !== undefined && this.#points.isStored(line, point);
  }

  text(id: number): OtherQuestion {
    return this.#texts[id]!;
  }

  /** Equal where what recovery would see is, in any trace. */
  digest(text: OtherQuestion, point: number): string {
    if (text === "acknowledged") return bytesDigest(this.#points.printed(point));
    if (text.startsWith("=")) return this.#stored(text, point) ? "stored" : this.#lineDigest(text, point);
    const files = this.#history.read(this.#points.version(point, this.#history));
    if (text === "listing") return this.#digests.listing(files);
    const persistent = new Set(this.#points.tables.paths.slice(0, this.#points.filesAt(point)).map(pathFromText));
    return this.#digests.name(files, text.slice(1), persistent);
  }

  #lineDigest(text: OtherQuestion, point: number): string {
    const [file, index] = text.slice(1).split(" ").map(Number);
    const pool = pathFromText(this.#points.tables.paths[file!]!);
    const there = poolFileIn(this.#history.read(this.#points.version(point, this.#history)), pool);
    const contents =
      typeof there === "object" ? there.contents : this.#history.contentsAt(pool, this.#points.point(point).seq);
    const line = contents === undefined ? new Uint8Array(lineBytes) : this.#history.reader().line(contents, index!);
    return bytesDigest(line);
  }
}
