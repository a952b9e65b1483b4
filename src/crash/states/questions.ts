/**
 * The questions a recovery may ask of a crash state, numbered, and the answers of the present one. Always:
 * - An answer is up to date for every question that was ever asked; what changes is told by line.
 * - `differing` counts the questions of the compared run whose present answer is another than it got: at 0 the present state
 *   ends as that run did, and nothing had to be walked to know it.
 */

import { type LineKey, lineBytes, lineKey, placeOfLine } from "../../model/pmem/index.ts";
import { growTable } from "./grow-table.ts";
import type { Answers, Question } from "./memo.ts";

const wordBytes = 8;
const wordsPerLine = lineBytes / wordBytes;
/** Questions about words are kept by blocks of neighbouring words. */
const wordsPerBlock = 512;
const linesPerBlock = wordsPerBlock / wordsPerLine;
const recentBlocks = 512;
const none = -1;
/** Places are counted up to here, then from the beginning. */
const mostPlaces = 2 ** 30;
/** With more answers that differ, the first of them is as soon found by going through all questions. */
const mostLookedThrough = 64;

const viewOf = ({ buffer, byteOffset, length }: Uint8Array): DataView => new DataView(buffer, byteOffset, length);

const noQuestions = new Int32Array(wordsPerBlock).fill(none);

/** Questions about the words of one file, by blocks of them; `none` where none was asked. */
class FileQuestions {
  readonly blocks = new Map<number, Int32Array>();
  /** Blocks that were looked up before, each where the others are that end on the same bits: a run goes to and fro between them. */
  readonly #recent: (Int32Array | undefined)[] = new Array(recentBlocks).fill(undefined);
  readonly #recentNumbers = new Float64Array(recentBlocks).fill(none);

  blockIfAny(number: number): Int32Array | undefined {
    const slot = number % recentBlocks;
    if (this.#recentNumbers[slot] === number) return this.#recent[slot];
    const block = this.blocks.get(number);
    if (block === undefined) return undefined;
    this.#recentNumbers[slot] = number;
    this.#recent[slot] = block;
    return block;
  }

  block(number: number): Int32Array {
    const known = this.blockIfAny(number);
    if (known !== undefined) return known;
    const block = new Int32Array(wordsPerBlock).fill(none);
    this.blocks.set(number, block);
    return block;
  }
}

export class Questions implements Answers {
  words = new Int32Array(2048);
  #count = 0;
  readonly #files: FileQuestions[] = [];
  readonly #texts = new Map<string, Question>();
  /** By question: as the how-manieth the compared run asked it, counted on from `#first`; below, it did not. */
  #places = new Int32Array(1024);
  #first = 1;
  /** What the compared run was answered, where the present answer is another. */
  readonly #before = new Map<Question, { readonly low: number; readonly high: number }>();

  #add(): Question {
    if (2 * this.#count === this.words.length) this.words = growTable(this.words);
    if (this.#count === this.#places.length) this.#places = growTable(this.#places);
    return this.#count++;
  }

  /** The run that asked these gets the present answers: later ones are held against it. */
  compareWith(asked: AskedQuestions): void {
    this.#before.clear();
    const { first, places } = asked.exchange(this.#places);
    this.#places = places;
    this.#first = first;
    while (this.#places.length < this.#count) this.#places = growTable(this.#places);
  }

  /** How many of its answers are others now. */
  get differing(): number {
    return this.#before.size;
  }

  /** So many of its first questions have the answers they had; fewer may be told than have. */
  get same(): number {
    if (this.#before.size > mostLookedThrough) return 0;
    let first = Number.POSITIVE_INFINITY;
    for (const question of this.#before.keys()) first = Math.min(first, this.#places[question]!);
    return this.#before.size === 0 ? 0 : first - this.#first;
  }

  #set(question: Question, low: number, high: number): void {
    if (this.#places[question]! >= this.#first) this.#compare(question, low, high);
    this.words[2 * question] = low;
    this.words[2 * question + 1] = high;
  }

  #compare(question: Question, low: number, high: number): void {
    const before = this.#before.get(question);
    if (before !== undefined) {
      if (before.low === low && before.high === high) this.#before.delete(question);
      return;
    }
    const now = { low: this.words[2 * question]!, high: this.words[2 * question + 1]! };
    if (now.low !== low || now.high !== high) this.#before.set(question, now);
  }

  #answerWord(question: Question, contents: DataView, word: number): void {
    this.#set(question, contents.getInt32(word * wordBytes, true), contents.getInt32(word * wordBytes + 4, true));
  }

  /** What is the file's word of this number? `contents` gives the present line when the question is new. */
  #word(file: number, number: number, contents: (key: LineKey) => Uint8Array): void {
    const question = this.#add();
    this.#file(file).block(Math.floor(number / wordsPerBlock))[number % wordsPerBlock] = question;
    const line = contents(lineKey(file, Math.floor(number / wordsPerLine)));
    this.#answerWord(question, viewOf(line), number % wordsPerLine);
  }

  /** A run asks for these words of a file, one after another. They are many, and neighbours mostly. */
  askWords(file: number, numbers: Int32Array, contents: (key: LineKey) => Uint8Array, asked: AskedQuestions): void {
    const questions = this.#file(file);
    for (let i = asked.addKnown(numbers, 0, questions); i < numbers.length; i = asked.addKnown(numbers, i, questions))
      this.#word(file, numbers[i]!, contents);
  }

  #file(file: number): FileQuestions {
    while (this.#files.length <= file) this.#files.push(new FileQuestions());
    return this.#files[file]!;
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
    const block = this.#files[file]?.blockIfAny(Math.floor(index / linesPerBlock));
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
    const block = this.#files[file]?.blockIfAny(Math.floor(index / linesPerBlock));
    if (block === undefined) return false;
    const first = (index % linesPerBlock) * wordsPerLine;
    for (let at = first; at < first + wordsPerLine; at++)
      if (block[at] !== none && this.#places[block[at]!]! >= this.#first) return true;
    return false;
  }

  /** Lines of which a word was ever asked. */
  *lines(): Iterable<LineKey> {
    for (const [file, { blocks }] of this.#files.entries())
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
  /** By question: its place among those asked, counted on from run to run, so that those of earlier runs need not be cleared. */
  #places = new Int32Array(1024);
  #first = 1;
  readonly #mostPlaces: number;
  /** The table that was given away has places from before counting began anew. */
  #givenIsOld = false;

  constructor(most = mostPlaces) {
    this.#mostPlaces = most;
  }

  begin(): void {
    this.#first += this.#count;
    this.#count = 0;
    if (this.#first < this.#mostPlaces) return;
    this.#places.fill(0);
    this.#first = 1;
    this.#givenIsOld = true;
  }

  add(question: Question): void {
    if (question >= this.#places.length) this.#grown(question);
    if (this.#places[question]! >= this.#first) return;
    this.#places[question] = this.#first + this.#count;
    if (this.#count === this.#list.length) this.#list = growTable(this.#list);
    this.#list[this.#count++] = question;
  }

  /** Asks for words of a file, from one of the numbers on, until one was never asked for; returns which. */
  addKnown(numbers: Int32Array, begin: number, questions: FileQuestions): number {
    while (this.#count + numbers.length - begin > this.#list.length) this.#list = growTable(this.#list);
    const [list, first, length] = [this.#list, this.#first, numbers.length];
    let [places, count, i] = [this.#places, this.#count, begin];
    let from = -wordsPerBlock;
    let block: Int32Array = noQuestions;
    for (; i < length; i++) {
      let at = numbers[i]! - from;
      if (at < 0 || at >= wordsPerBlock) {
        at = numbers[i]! % wordsPerBlock;
        from = numbers[i]! - at;
        block = questions.blockIfAny(from / wordsPerBlock) ?? noQuestions;
      }
      const question = block[at]!;
      if (question === none) break;
      if (question >= places.length) places = this.#grown(question);
      if (places[question]! >= first) continue;
      places[question] = first + count;
      list[count++] = question;
    }
    this.#count = count;
    return i;
  }

  #grown(question: Question): Int32Array<ArrayBuffer> {
    while (question >= this.#places.length) this.#places = growTable(this.#places);
    return this.#places;
  }

  /** Valid until the next run begins. */
  get list(): Int32Array {
    return this.#list.subarray(0, this.#count);
  }

  /** Gives the places of this run's questions away for the table that was given away before, whose places come before this run's. */
  exchange(earlier: Int32Array<ArrayBuffer>): { readonly first: number; readonly places: Int32Array<ArrayBuffer> } {
    const given = { first: this.#first, places: this.#places };
    this.#places = this.#givenIsOld ? earlier.fill(0) : earlier;
    this.#givenIsOld = false;
    return given;
  }
}
