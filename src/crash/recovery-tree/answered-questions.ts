/**
 * Questions and the answers that recoveries got, list after list. Recoveries of neighbouring crash states ask nearly the same and are
 * answered nearly the same, so that lists are cut into pieces, and equal pieces lie in memory once. Always:
 * - Where a piece ends depends on the questions around that place alone: lists that differ in the beginning have the same pieces behind it.
 * - A place is the number of a piece among those of all lists, and the number of a question in it: it grows along a list, and a list ends
 *   where the next one begins.
 */
import { assert } from "../../base/index.ts";
import { GrowingWords } from "./growing-words.ts";

/** Where a question stands. Only to be compared, or handed back. */
export type Place = number;

const mostInPiece = 256;
/** Neighbours share their upper bits: they are of one line. One line in so many begins a piece. */
const linesPerPiece = 8;
const groupOf = (question: number): number => question >>> 4;
const beginsPiece = (group: number): boolean => Math.imul(group, 0x9e3779b1) >>> 16 < 2 ** 16 / linesPerPiece;

const empty = 0;
const firstSlots = 1024;

/** Of a list. */
interface Part {
  readonly questions: Int32Array;
  readonly answers: Int32Array;
  readonly from: number;
  readonly to: number;
}

export class AnsweredQuestions {
  readonly #questions = new GrowingWords();
  readonly #answers = new GrowingWords();
  /** By piece that is kept: its first question, and a number that differs for most that differ. */
  readonly #starts = new GrowingWords();
  readonly #hashes = new GrowingWords();
  /** Pieces of all lists, one list after another. */
  readonly #pieces = new GrowingWords();
  /** One more than the number of a piece that is kept, at the place that its hash says, or behind it. */
  #slots = new Int32Array(firstSlots);

  constructor() {
    this.#starts.push(0);
  }

  /** Words that lie in memory. */
  get kept(): number {
    return 2 * (this.#questions.length + this.#hashes.length) + this.#pieces.length;
  }

  /** Behind all lists. */
  get end(): Place {
    return this.#pieces.length * mostInPiece;
  }

  /** Returns the list's end; it begins where the one before it ended. */
  add(questions: Int32Array, answers: Int32Array): Place {
    assert(questions.length === answers.length, "each question has its answer");
    for (let from = 0; from < questions.length; ) {
      const to = endOfPiece(questions, from);
      this.#pieces.push(this.#pieceOf({ questions, answers, from, to }));
      from = to;
    }
    return this.end;
  }

  /** Valid until something is added. */
  read(from: Place, to: Place): AnsweredReader {
    const [questions, answers] = [this.#questions.table, this.#answers.table];
    return new AnsweredReader({ questions, answers, starts: this.#starts.table, pieces: this.#pieces.table }, from, to);
  }

  /** The place of the question behind this one. */
  behind(place: Place): Place {
    const piece = this.#pieces.table[Math.floor(place / mostInPiece)]!;
    const [start, end] = [this.#starts.table[piece]!, this.#starts.table[piece + 1]!];
    const isLast = (place % mostInPiece) + 1 === end - start;
    return isLast ? (Math.floor(place / mostInPiece) + 1) * mostInPiece : place + 1;
  }

  #pieceOf(part: Part): number {
    const hash = hashOf(part);
    const hashes = this.#hashes.table;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== empty; slot = (slot + 1) & mask) {
      const piece = this.#slots[slot]! - 1;
      if (hashes[piece] === hash && this.#isPiece(piece, part)) return piece;
    }
    const piece = this.#hashes.length;
    this.#questions.append(part.questions.subarray(part.from, part.to));
    this.#answers.append(part.answers.subarray(part.from, part.to));
    this.#starts.push(this.#questions.length);
    this.#hashes.push(hash);
    this.#slots[slot] = piece + 1;
    if (2 * (piece + 1) > this.#slots.length) this.#growSlots();
    return piece;
  }

  #isPiece(piece: number, { questions, answers, from, to }: Part): boolean {
    const [start, end] = [this.#starts.table[piece]!, this.#starts.table[piece + 1]!];
    if (end - start !== to - from) return false;
    const [asked, answered] = [this.#questions.table, this.#answers.table];
    for (let at = from, own = start; at < to; at++, own++)
      if (asked[own] !== questions[at] || answered[own] !== answers[at]) return false;
    return true;
  }

  #growSlots(): void {
    this.#slots = new Int32Array(2 * this.#slots.length);
    const mask = this.#slots.length - 1;
    for (let piece = 0; piece < this.#hashes.length; piece++) {
      let slot = this.#hashes.table[piece]! & mask;
      while (this.#slots[slot] !== empty) slot = (slot + 1) & mask;
      this.#slots[slot] = piece + 1;
    }
  }
}

function endOfPiece(questions: Int32Array, from: number): number {
  const most = Math.min(from + mostInPiece, questions.length);
  let group = groupOf(questions[from]!);
  for (let at = from + 1; at < most; at++) {
    const next = groupOf(questions[at]!);
    if (next !== group && beginsPiece(next)) return at;
    group = next;
  }
  return most;
}

function hashOf({ questions, answers, from, to }: Part): number {
  let hash = to - from;
  for (let at = from; at < to; at++) {
    hash = Math.imul(hash ^ questions[at]!, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15) ^ answers[at]!, 0xc2b2ae35);
  }
  return hash ^ (hash >>> 16);
}

interface Tables {
  readonly questions: Int32Array;
  readonly answers: Int32Array;
  readonly starts: Int32Array;
  readonly pieces: Int32Array;
}

/** One question after another. */
export class AnsweredReader {
  readonly #tables: Tables;
  readonly #to: Place;
  /** The number of the piece among those of all lists. */
  #piece: number;
  /** In the tables: the next question, and where the piece begins and ends, as far as it is to be read. */
  #next = 0;
  #first = 0;
  #last = 0;
  /** In the pieces before. */
  #passed = 0;

  constructor(tables: Tables, from: Place, to: Place) {
    this.#tables = tables;
    this.#to = to;
    this.#piece = Math.floor(from / mostInPiece);
    if (from < to) this.#turnTo(from % mostInPiece);
  }

  #turnTo(offset: number): void {
    const { starts, pieces } = this.#tables;
    const piece = pieces[this.#piece]!;
    const isCut = this.#piece === Math.floor(this.#to / mostInPiece);
    this.#first = starts[piece]! + offset;
    this.#next = this.#first;
    this.#last = isCut ? starts[piece]! + (this.#to % mostInPiece) : starts[piece + 1]!;
  }

  get isMore(): boolean {
    return this.#next < this.#last || this.#turn();
  }

  #turn(): boolean {
    if ((this.#piece + 1) * mostInPiece >= this.#to) return false;
    this.#passed += this.#last - this.#first;
    this.#piece++;
    this.#turnTo(0);
    return true;
  }

  /** Of the next question, while there is more. */
  get question(): number {
    return this.#tables.questions[this.#next]!;
  }
  get answer(): number {
    return this.#tables.answers[this.#next]!;
  }
  get place(): Place {
    const { starts, pieces } = this.#tables;
    return this.#piece * mostInPiece + this.#next - starts[pieces[this.#piece]!]!;
  }

  pass(): void {
    this.#next++;
  }

  /** The number of the piece that begins with the next question and is to be read to its end; equal pieces have one number. */
  get wholePiece(): number | undefined {
    const { starts, pieces } = this.#tables;
    const piece = pieces[this.#piece]!;
    return this.#next === starts[piece] && this.#last === starts[piece + 1] ? piece : undefined;
  }

  /** The questions of the piece, from the next one on. */
  get restOfPiece(): Int32Array {
    return this.#tables.questions.subarray(this.#next, this.#last);
  }

  passPiece(): void {
    this.#next = this.#last;
  }

  /** Whether the next question is in the piece of the one before it. */
  get isMoreOfPiece(): boolean {
    return this.#next < this.#last;
  }

  /** How many questions were. */
  get passed(): number {
    return this.#passed + this.#next - this.#first;
  }
}
