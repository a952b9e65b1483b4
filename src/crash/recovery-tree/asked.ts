/**
 * What one recovery asked, in its order, each question once: aligned four bytes of lines that the program stored to, by
 * number, and everything else by a text. Always: what no crash of this program can change is no question, unless asked for.
 */

import { wordsPerLine } from "./content-words.ts";
import type { TracePoints } from "./trace-points.ts";
import { areVaried } from "./varied-lines.ts";

/** Set in a question that is asked while a checksum is taken. */
export const foldedBit = 1 << 30;

/** As plain data. Not negative: a line's number and the number of its four bytes; else -1 - an index into the texts. */
export interface Asked {
  readonly questions: Int32Array;
  readonly texts: readonly string[];
}

/** Not about four bytes of a stored line: "acknowledged", "listing", "/NAME", or "=FILE INDEX" for a varied line of a file. */
export type OtherQuestion = string;

const unknown = -1;
const linesPerBlock = 64;

/** From four bytes of a file to their question. */
class FileQuestions {
  readonly #points: TracePoints;
  readonly #file: number;
  /** By block of lines: the lines' numbers. */
  readonly #blocks = new Map<number, Int32Array>();

  constructor(points: TracePoints, file: number) {
    this.#points = points;
    this.#file = file;
  }

  /** The numbers of the lines of a block, `unknown` for those that were never stored to. */
  block(number: number): Int32Array {
    const known = this.#blocks.get(number);
    if (known !== undefined) return known;
    const lines = Int32Array.from(
      { length: linesPerBlock },
      (_, i) => this.#points.lineAt(this.#file, number * linesPerBlock + i) ?? unknown,
    );
    this.#blocks.set(number, lines);
    return lines;
  }
}

export class AskedList {
  readonly #points: TracePoints;
  readonly #files: readonly FileQuestions[];
  #list = new Int32Array(1024);
  #count = 0;
  /** By question about a stored line: the last run that asked it. */
  readonly #askedBy: Int32Array;
  #run = 0;
  #texts = new Map<OtherQuestion, number>();
  #point = 0;
  #folded = 0;
  readonly #everything: boolean;
  readonly #names: ReadonlySet<string>;
  /** By file: lines that calls changed. */
  readonly #varied: readonly ("all" | ReadonlySet<number>)[];
  /** By file and line, questions that were asked before. */
  readonly #wholeLines: readonly Map<number, OtherQuestion>[];

  /** `everything`: also what no crash of this run can change is asked for, lines as a whole: in another run it may be otherwise. */
  constructor(points: TracePoints, everything = false) {
    this.#points = points;
    this.#everything = everything;
    this.#files = points.tables.paths.map((_, file) => new FileQuestions(points, file));
    this.#askedBy = new Int32Array(points.lines * wordsPerLine);
    this.#names = new Set(points.tables.names);
    this.#varied = points.tables.varied.map((lines) => (lines === "all" ? lines : new Set(lines)));
    this.#wholeLines = points.tables.paths.map(() => new Map());
  }

  /** Whether what is asked from now on goes into a checksum. */
  fold(folded: boolean): void {
    this.#folded = folded ? foldedBit : 0;
  }

  begin(point: number): void {
    this.#point = point;
    this.#folded = 0;
    this.#run++;
    this.#count = 0;
    this.#texts = new Map();
  }

  /** Aligned four bytes of a file, by their numbers. */
  words(file: number, numbers: Int32Array): void {
    if (areVaried(this.#points.tables.varied[file]!)) return this.#variedWords(file, numbers);
    const bytes = this.#files[file]!;
    this.#makeRoom(numbers.length);
    let block: Int32Array | undefined;
    let first = 0;
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!;
      let line = (number >>> 4) - first;
      if (block === undefined || line < 0 || line >= linesPerBlock) {
        const index = Math.floor((number >>> 4) / linesPerBlock);
        block = bytes.block(index);
        first = index * linesPerBlock;
        line = (number >>> 4) - first;
      }
      const own = block[line]!;
      if (own !== unknown) this.#add(own * wordsPerLine + (number & (wordsPerLine - 1)));
      else if (this.#everything) this.other(`=${file} ${number >>> 4}`);
    }
  }

  /** Calls changed lines of the file: these are asked for whole until something is stored to them. */
  #variedWords(file: number, numbers: Int32Array): void {
    this.#makeRoom(2 * numbers.length);
    const varied = this.#varied[file]!;
    let last = -1;
    for (const number of numbers) {
      const index = Math.floor(number / wordsPerLine);
      const line = this.#points.lineAt(file, index);
      const isVaried = varied === "all" || varied.has(index);
      const isWhole = isVaried || (line === undefined && this.#everything);
      if (isWhole && index !== last) this.other(this.#wholeLine(file, index));
      last = index;
      if (line !== undefined && (!isVaried || this.#points.isStored(line, this.#point)))
        this.#add(line * wordsPerLine + (number % wordsPerLine));
    }
  }

  #wholeLine(file: number, index: number): OtherQuestion {
    const known = this.#wholeLines[file]!.get(index);
    if (known !== undefined) return known;
    const text = `=${file} ${index}`;
    this.#wholeLines[file]!.set(index, text);
    return text;
  }

  name(name: string): void {
    if (this.#everything || this.#names.has(name)) this.other(`/${name}`);
  }

  other(text: OtherQuestion): void {
    if (this.#texts.has(text)) return;
    this.#makeRoom(1);
    this.#list[this.#count++] = -1 - this.#texts.size;
    this.#texts.set(text, this.#texts.size);
  }

  #add(question: number): void {
    if (this.#askedBy[question] === this.#run) return;
    this.#askedBy[question] = this.#run;
    this.#list[this.#count++] = question | this.#folded;
  }

  #makeRoom(more: number): void {
    if (this.#count + more <= this.#list.length) return;
    const larger = new Int32Array(Math.max(2 * this.#list.length, this.#count + more));
    larger.set(this.#list.subarray(0, this.#count));
    this.#list = larger;
  }

  /** Valid until the next run begins. */
  get asked(): Asked {
    return { questions: this.#list.subarray(0, this.#count), texts: [...this.#texts.keys()] };
  }
}
