/**
 * Answers to questions that are not about stored lines: what was printed, names, listings, lines that file calls wrote.
 * Always: answers are equal when what recovery would see is, in whatever trace: they stand for digests of contents.
 */
import { addWord, addWords, baseName, type Digest, digestText, newDigest } from "../base/index.ts";
import type { FileEntry, FileHistory, FileVersion } from "../crash/index.ts";
import { lineBytes } from "../pmem/index.ts";
import { type FileContents, pathFromText } from "../vm/index.ts";
import type { OtherQuestion } from "./asked.ts";
import type { TracePoints } from "./trace-points.ts";

function addText(digest: Digest, text: string): void {
  addWord(digest, text.length);
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
}

function addBytes(digest: Digest, bytes: Uint8Array): void {
  addWord(digest, bytes.length);
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  addWords(digest, new Uint32Array(padded.buffer));
}

function digestOf(fill: (digest: Digest) => void): string {
  const digest = newDigest();
  fill(digest);
  return digestText(digest);
}

const bytesAtOnce = 1 << 20;

export class OtherAnswers {
  readonly #points: TracePoints;
  readonly #history: FileHistory;
  readonly #texts: OtherQuestion[] = [];
  readonly #ids = new Map<OtherQuestion, number>();
  /** By digest. */
  readonly #numbers = new Map<string, number>();
  /** By question and by what its answer depends on. */
  readonly #known = new Map<string, number>();
  readonly #entries = new WeakMap<FileEntry, string>();

  constructor(points: TracePoints, history: FileHistory) {
    this.#points = points;
    this.#history = history;
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
    const digest = this.#digest(text, point);
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

  #digest(text: OtherQuestion, point: number): string {
    if (text === "acknowledged") return digestOf((digest) => addBytes(digest, this.#points.printed(point)));
    if (text.startsWith("=")) return this.#stored(text, point) ? "stored" : this.#lineDigest(text, point);
    const files = this.#history.read(this.#points.version(point, this.#history));
    return text === "listing" ? this.#listing(files) : this.#name(files, text.slice(1), point);
  }

  #lineDigest(text: OtherQuestion, point: number): string {
    const [file, index] = text.slice(1).split(" ").map(Number);
    const path = pathFromText(this.#points.tables.paths[file!]!);
    const entry = this.#history.read(this.#points.version(point, this.#history)).get(path);
    const contents =
      entry?.kind === "file" ? entry.contents : this.#history.contentsAt(path, this.#points.point(point).seq);
    const line = contents === undefined ? new Uint8Array(lineBytes) : this.#history.reader().line(contents, index!);
    return digestOf((digest) => addBytes(digest, line));
  }

  #listing(files: FileVersion): string {
    return digestOf((digest) => {
      for (const [path, { kind }] of files) addText(digest, `${kind} ${path}`);
    });
  }

  #name(files: FileVersion, name: string, point: number): string {
    const persistent = new Set(this.#points.tables.paths.slice(0, this.#points.filesAt(point)).map(pathFromText));
    return digestOf((digest) => {
      for (const [path, entry] of files)
        if (baseName(path) === name) addText(digest, `${path} ${this.#entry(entry, persistent.has(path))}`);
    });
  }

  /** What a persistent file holds is asked by words. */
  #entry(entry: FileEntry, persistent: boolean): string {
    if (entry.kind !== "file") return `${entry.kind} ${entry.kind === "directory" ? entry.mode : ""}`;
    const facts = `file ${entry.mode} ${entry.contents.size}`;
    if (persistent) return facts;
    const known = this.#entries.get(entry) ?? this.#contents(entry.contents);
    this.#entries.set(entry, known);
    return `${facts} ${known}`;
  }

  #contents(contents: FileContents): string {
    return digestOf((digest) => {
      for (let at = 0; at < contents.size; at += bytesAtOnce) {
        const bytes = new Uint8Array(Math.min(bytesAtOnce, contents.size - at));
        this.#history.readContents(contents, at, bytes);
        addBytes(digest, bytes);
      }
    });
  }
}
