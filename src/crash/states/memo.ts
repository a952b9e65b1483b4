/**
 * What runs of recovery asked and how they ended. Recovery is a function of the answers to what it asks (a word of
 * persistent memory, a name, what was printed), so a crash state that gives the same answers ends the same way without
 * being run (docs/ARCHITECTURE.md). Always:
 * - A path from the root is what one run asked, in its order, with the answers it got; its end is how the run ended.
 * - Paths part at an answer, never at a question: what is asked next follows from the answers so far.
 * - One path is held: while the answers to its first questions are the present ones, a search begins behind them.
 */
import { assert, verifiesOwnWork } from "../../base/index.ts";
import { growTable } from "./grow-table.ts";

/** A question's number. */
export type Question = number;

/** The answers that the present crash state gives: two words, one after the other, to a question. */
export interface Answers {
  readonly words: Int32Array;
}

/** Questions in the order in which a run asked them, each once. */
export type Asking = Int32Array | readonly Question[];

/** Questions that were asked one after another, with one known answer each: a part of the memo's tables. */
interface Stretch<T> {
  readonly from: number;
  to: number;
  next: { readonly kind: "end"; readonly outcome: T } | Fork<T>;
}

/** One answer at a fork, among those with the same key. */
interface Way<T> {
  readonly low: number;
  readonly high: number;
  readonly to: Stretch<T>;
  readonly other: Way<T> | undefined;
}

class Fork<T> {
  readonly kind = "fork";
  readonly question: Question;
  readonly #ways = new Map<number, Way<T>>();
  /** Where the last search went: the next one mostly goes there too. */
  #recent: Way<T> | undefined;

  constructor(question: Question) {
    this.question = question;
  }

  add(low: number, high: number, to: Stretch<T>): void {
    const key = keyOf(low, high);
    this.#recent = { low, high, to, other: this.#ways.get(key) };
    this.#ways.set(key, this.#recent);
  }

  way({ words }: Answers): Stretch<T> | undefined {
    const [low, high] = [words[2 * this.question]!, words[2 * this.question + 1]!];
    const recent = this.#recent;
    if (recent !== undefined && recent.low === low && recent.high === high) return recent.to;
    let way = this.#ways.get(keyOf(low, high));
    while (way !== undefined && (way.low !== low || way.high !== high)) way = way.other;
    if (way !== undefined) this.#recent = way;
    return way?.to;
  }
}

const keyOf = (low: number, high: number): number => low ^ Math.imul(high, 0x9e3779b1);

/** Stretches one after another, from the root on, each with how many questions were asked before it. */
class Path<T> {
  readonly #stretches: Stretch<T>[] = [];
  readonly #positions: number[] = [];

  get length(): number {
    return this.#stretches.length;
  }
  at(index: number): { readonly at: Stretch<T>; readonly position: number } {
    return { at: this.#stretches[index]!, position: this.#positions[index]! };
  }
  push(at: Stretch<T>, position: number): void {
    this.#stretches.push(at);
    this.#positions.push(position);
  }
  cut(length: number): void {
    this.#stretches.length = this.#positions.length = length;
  }

  /** The last stretch that begins at this position or before it. */
  indexAt(position: number): number {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#positions[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** A stretch, up to where its answers are the present ones, and how many questions were asked before it. */
interface Missed<T> {
  readonly at: Stretch<T>;
  readonly same: number;
  readonly position: number;
}

/** Questions kept at most, 12 bytes each. */
const defaultRoom = 16_000_000;

/** Stretches lie one after another in these: nothing of them is for the garbage collector to look at. */
class Tables {
  questions = new Int32Array(1024);
  /** Two words for each. */
  answers = new Int32Array(2048);
  length = 0;

  /** Keeps the questions from a position on, with their present answers; returns where they begin. */
  append(asked: Asking, position: number, { words }: Answers): number {
    const from = this.length;
    this.length += asked.length - position;
    while (this.length > this.questions.length) this.#grow();
    const { questions, answers } = this;
    const end = asked.length;
    for (let at = from, i = position; i < end; at++, i++) {
      const question = asked[i]!;
      questions[at] = question;
      answers[2 * at] = words[2 * question]!;
      answers[2 * at + 1] = words[2 * question + 1]!;
    }
    return from;
  }

  #grow(): void {
    this.questions = growTable(this.questions, 4);
    this.answers = growTable(this.answers, 4);
  }
}

export class RecoveryMemo<T> {
  readonly #room: number;
  readonly #verifies: boolean;
  readonly #tables = new Tables();
  #root: Stretch<T> | undefined;
  /** How far the last search came that found nothing: what was asked up to there need not be gone through again. */
  #missed: Missed<T> | undefined;
  readonly #held = new Path<T>();
  /** Where the last search, or what was added after it, went: so many stretches of the held path, then these. */
  #shared = 0;
  readonly #gone = new Path<T>();

  /** `verifies`: what a run asked is gone through from its beginning when it is added, and so is every search. */
  constructor(room = defaultRoom, verifies = verifiesOwnWork()) {
    this.#room = room;
    this.#verifies = verifies;
  }

  /** `same`: so many questions of the held path have the answers they had. */
  find(answers: Answers, same = 0): T | undefined {
    if (this.#held.length === 0 || same === 0) return this.#search(answers, 0, this.#root, 0, 0);
    const index = this.#held.indexAt(same);
    const { at, position } = this.#held.at(index);
    const found = this.#search(answers, index, at, position, same - position);
    if (!this.#verifies) return found;
    const { at: missed } = this.#missed ?? {};
    assert(found === this.#search(answers, 0, this.#root, 0, 0), "a search that begins later finds the same");
    assert(missed === this.#missed?.at, "a search that begins later comes as far");
    return found;
  }

  /** From a stretch on, of which the first answers are known to be the present ones. */
  #search(
    answers: Answers,
    shared: number,
    begin: Stretch<T> | undefined,
    before: number,
    known: number,
  ): T | undefined {
    this.#shared = shared;
    this.#gone.cut(0);
    this.#missed = undefined;
    let position = before;
    let skipped = known;
    for (let at = begin; at !== undefined; skipped = 0) {
      const same = this.#agreement(at, answers, skipped);
      this.#missed = { at, same, position };
      this.#gone.push(at, position);
      if (same < at.to) return undefined;
      if (at.next.kind === "end") {
        this.#missed = undefined;
        return at.next.outcome;
      }
      position += at.to - at.from + 1;
      at = at.next.way(answers);
    }
    return undefined;
  }

  /** The path of the run that was found or added just now is held. */
  hold(): void {
    this.#held.cut(this.#shared);
    for (let index = 0; index < this.#gone.length; index++) {
      const { at, position } = this.#gone.at(index);
      this.#held.push(at, position);
    }
  }

  /** What the run asked that `find` knows. */
  *path(answers: Answers): Iterable<Asking> {
    for (let at = this.#root; at !== undefined; ) {
      yield this.#tables.questions.subarray(at.from, at.to);
      if (at.next.kind === "end") return;
      yield [at.next.question];
      at = at.next.way(answers);
    }
  }

  /** Keeps a run that `find` was just asked for and did not know. When there is no more room, all that was kept goes. */
  add(asked: Asking, answers: Answers, outcome: T): void {
    if (this.#tables.length + asked.length > this.#room) this.#clear();
    if (this.#missed === undefined) this.find(answers);
    const missed = this.#missed;
    this.#missed = undefined;
    if (this.#root === undefined) {
      this.#root = this.#stretch(asked, 0, answers, outcome);
      this.#gone.push(this.#root, 0);
      return;
    }
    assert(missed !== undefined, "recovery ends the same when it gets the same answers");
    const from = this.#verifies ? { at: this.#root, same: this.#agreement(this.#root, answers), position: 0 } : missed;
    this.#grow(from, asked, answers, outcome);
  }

  #clear(): void {
    this.#root = undefined;
    this.#missed = undefined;
    this.#tables.length = 0;
    this.#held.cut(0);
    this.#gone.cut(0);
    this.#shared = 0;
  }

  #stretch(asked: Asking, position: number, answers: Answers, outcome: T): Stretch<T> {
    const from = this.#tables.append(asked, position, answers);
    return { from, to: this.#tables.length, next: { kind: "end", outcome } };
  }

  #grow(begin: Missed<T>, asked: Asking, answers: Answers, outcome: T): void {
    let { at, same, position } = begin;
    for (;;) {
      assert(this.#asks(at.from, same, asked, position), "recovery asks the same while it gets the same answers");
      position += same - at.from;
      if (same < at.to) this.#part(at, same);
      assert(at.next.kind === "fork", "recovery ends the same when it gets the same answers");
      assert(asked[position] === at.next.question, "recovery asks the same while it gets the same answers");
      const { question } = at.next;
      const known = at.next.way(answers);
      position++;
      if (known === undefined) {
        const added = this.#stretch(asked, position, answers, outcome);
        at.next.add(answers.words[2 * question]!, answers.words[2 * question + 1]!, added);
        this.#gone.push(added, position);
        return;
      }
      at = known;
      same = this.#agreement(at, answers);
    }
  }

  /** Whether a run asked what is kept from one place to another, beginning with its question at a position. */
  #asks(from: number, to: number, asked: Asking, position: number): boolean {
    const { questions } = this.#tables;
    const shift = position - from;
    for (let at = from; at < to; at++) if (asked[at + shift] !== questions[at]) return false;
    return true;
  }

  /** Up to where the stretch's answers are the present ones; so many of its first are known to be. */
  #agreement({ from, to }: Stretch<T>, { words }: Answers, known = 0): number {
    const { questions, answers } = this.#tables;
    for (let at = from + known; at < to; at++) {
      const question = questions[at]!;
      if (words[2 * question] !== answers[2 * at] || words[2 * question + 1] !== answers[2 * at + 1]) return at;
    }
    return to;
  }

  /** Makes a fork of one of the stretch's answers. */
  #part(stretch: Stretch<T>, at: number): void {
    const { questions, answers } = this.#tables;
    const rest: Stretch<T> = { from: at + 1, to: stretch.to, next: stretch.next };
    const fork = new Fork<T>(questions[at]!);
    fork.add(answers[2 * at]!, answers[2 * at + 1]!, rest);
    stretch.to = at;
    stretch.next = fork;
  }
}
