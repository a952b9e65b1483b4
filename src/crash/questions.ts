/**
 * The questions a recovery may ask of a crash state, numbered, and the answers of the present one. Always:
 * - An answer is up to date for every question that was ever asked; what changes is told by line.
 * - `differing` counts the questions of the compared run whose present answer is another than it got: at 0 the present state
 *   ends as that run did, and nothing had to be walked to know it.
 */

import { type LineKey, lineBytes, lineKey, placeOfLine } from "../pmem/index.ts";
import { doubled } from "./doubled.ts";
import type { Answers, Asking, Question } from "./memo.ts";

const wordBytes = 8;
const wordsPerLine = lineBytes / wordBytes;
/** Questions about words are kept by blocks of neighbouring words. */
const wordsPerBlock = 512;
const linesPerBlock = wordsPerBlock / wordsPerLine;
const none = -1;
/** Places are counted on from run to run up to here, so that those of earlier runs need not be cleared. */
const mostPlaces = 2 ** 30;
/** With more answers that differ, the first of them is as soon found by going through all questions. */
const mostLookedThrough = 64;

const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView => new DataView(buffer, byteOffset, length);

export class Questions implements Answers {
  low = new Int32Array(1024);
  high = new Int32Array(1024);
  #count = 0;
  /** By file and block: the questions about its words, `none` where none was asked. */
  readonly #files: Map<number, Int32Array>[] = [];
  readonly #texts = new Map<string, Question>();
  /** By question: as the how-manieth the compared run asked it, counted on from `#first`; below, it did not. */
  #places = new Int32Array(1024);
  #first = 1;
  #end = 1;
  /** What the compared run was answered, where the present answer is another. */
  readonly #before = new Map<Question, { readonly low: number; readonly high: number }>();

  #add(): Question {
    if (this.#count === this.low.length) {
      this.low = doubled(this.low);
      this.high = doubled(this.high);
      this.#places = doubled(this.#places);
    }
    return this.#count++;
  }

  /** A run that asked these gets the present answers: later ones are held against it. */
  compareWith(stretches: Iterable<Asking>): void {
    this.#before.clear();
    if (this.#end > mostPlaces) {
      this.#places.fill(0);
      this.#end = 1;
    }
    this.#first = this.#end;
    const places = this.#places;
    let end = this.#end;
    for (const asked of stretches) for (let i = 0; i < asked.length; i++) places[asked[i]!] = end++;
    this.#end = end;
  }

  /** How many of its answers are others now. */
  get differing(): number {
    return this.#before.size;
  }

  /** So many of its first questions have the answers they had; fewer may be told than have. */
  get same(): number {
    if (this.#before.size > mostLookedThrough) return 0;
    let first = this.#end;
    for (const question of this.#before.keys()) first = Math.min(first, this.#places[question]!);
    return first - this.#first;
  }

  #set(question: Question, low: number, high: number): void {
    if (this.#places[question]! >= this.#first) this.#compare(question, low, high);
    this.low[question] = low;
    this.high[question] = high;
  }

  #compare(question: Question, low: number, high: number): void {
    const before = this.#before.get(question);
    if (before !== undefined) {
      if (before.low === low && before.high === high) this.#before.delete(question);
      return;
    }
    const now = { low: this.low[question]!, high: this.high[question]! };
    if (now.low !== low || now.high !== high) this.#before.set(question, now);
  }

  #answerWord(question: Question, contents: DataView, word: number): void {
    this.#set(question, contents.getInt32(word * wordBytes, true), contents.getInt32(word * wordBytes + 4, true));
  }

  /** What is the file's word of this number? `contents` gives the present line when the question is new. */
  word(file: number, number: number, contents: (key: LineKey) => Uint8Array): Question {
    const at = number % wordsPerBlock;
    const block = this.#block(file, (number - at) / wordsPerBlock);
    if (block[at] !== none) return block[at]!;
    const question = this.#add();
    block[at] = question;
    const line = contents(lineKey(file, Math.floor(number / wordsPerLine)));
    this.#answerWord(question, viewOf(line), number % wordsPerLine);
    return question;
  }

  /** A run asks for these words of a file, one after another. They are many, and neighbours mostly. */
  words(file: number, numbers: Int32Array, contents: (key: LineKey) => Uint8Array, asked: AskedQuestions): void {
    let from = 0;
    let block = this.#block(file, 0);
    for (let i = 0; i < numbers.length; i++) {
      const at = numbers[i]! - from;
      if (at < 0 || at >= wordsPerBlock) {
        from = numbers[i]! - (numbers[i]! % wordsPerBlock);
        block = this.#block(file, from / wordsPerBlock);
      }
      if (block[numbers[i]! - from] === none) this.word(file, numbers[i]!, contents);
      i = asked.addKnown(numbers, i, block, from);
    }
  }

  #block(file: number, number: number): Int32Array {
    while (this.#files.length <= file) this.#files.push(new Map());
    const blocks = this.#files[file]!;
    const block = blocks.get(number) ?? new Int32Array(wordsPerBlock).fill(none);
    if (!blocks.has(number)) blocks.set(number, block);
    return block;
  }

  /** A question that is not about a word, with its present answer. */
  other(text: string, answer: number): Question {
    const question = this.#texts.get(text) ?? this.#add();
    this.#texts.set(text, question);
    this.#set(question, answer, 0);
    return question;
  }

  get others(): Iterable<string> {
    return this.#texts.keys();
  }

  /** The line has these contents now; they are made only if one of its words was ever asked for. */
  lineIs(key: LineKey, contents: () => Uint8Array): void {
    const { file, index } = placeOfLine(key);
    const block = this.#files[file]?.get(Math.floor(index / linesPerBlock));
    if (block === undefined) return;
    const first = (index % linesPerBlock) * wordsPerLine;
    let view: DataView | undefined;
    for (let word = 0; word < wordsPerLine; word++) {
      const question = block[first + word]!;
      if (question === none) continue;
      view ??= viewOf(contents());
      this.#answerWord(question, view, word);
    }
  }

  /** Whether the compared run asked for a word of the line. */
  wasAskedOf(key: LineKey): boolean {
    const { file, index } = placeOfLine(key);
    const block = this.#files[file]?.get(Math.floor(index / linesPerBlock));
    if (block === undefined) return false;
    const first = (index % linesPerBlock) * wordsPerLine;
    for (let at = first; at < first + wordsPerLine; at++)
      if (block[at] !== none && this.#places[block[at]!]! >= this.#first) return true;
    return false;
  }

  /** Lines of which a word was ever asked. */
  *lines(): Iterable<LineKey> {
    for (const [file, blocks] of this.#files.entries())
      for (const [number, block] of blocks)
        for (let line = 0; line < linesPerBlock; line++) {
          const words = block.subarray(line * wordsPerLine, (line + 1) * wordsPerLine);
          if (words.some((question) => question !== none)) yield lineKey(file, number * linesPerBlock + line);
        }
  }
}

/** What one run after another asks: in its order, each question once. */
export class AskedQuestions {
  #list = new Int32Array(1024);
  #count = 0;
  /** By question: the last run that asked it. */
  #askedBy = new Int32Array(1024);
  #run = 0;

  begin(): void {
    this.#run++;
    this.#count = 0;
  }

  add(question: Question): void {
    if (question >= this.#askedBy.length) this.#grown(question);
    if (this.#askedBy[question] === this.#run) return;
    this.#askedBy[question] = this.#run;
    if (this.#count === this.#list.length) this.#list = doubled(this.#list);
    this.#list[this.#count++] = question;
  }

  /** Adds words of one block, from one of the numbers on, up to where one is of another or was never asked for; returns the last. */
  addKnown(numbers: Int32Array, begin: number, block: Int32Array, from: number): number {
    while (this.#count + numbers.length - begin > this.#list.length) this.#list = doubled(this.#list);
    const [list, run, count] = [this.#list, this.#run, numbers.length];
    let askedBy = this.#askedBy;
    let end = this.#count;
    let i = begin;
    for (; i < count; i++) {
      const at = numbers[i]! - from;
      if (at < 0 || at >= wordsPerBlock) break;
      const question = block[at]!;
      if (question === none) break;
      if (question >= askedBy.length) askedBy = this.#grown(question);
      if (askedBy[question] === run) continue;
      askedBy[question] = run;
      list[end++] = question;
    }
    this.#count = end;
    return i - 1;
  }

  #grown(question: Question): Int32Array<ArrayBuffer> {
    while (question >= this.#askedBy.length) this.#askedBy = doubled(this.#askedBy);
    return this.#askedBy;
  }

  /** Valid until the next run begins. */
  get list(): Int32Array {
    return this.#list.subarray(0, this.#count);
  }
}
