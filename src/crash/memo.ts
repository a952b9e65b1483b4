/**
 * What runs of recovery asked and how they ended. Recovery is a function of the answers to what it asks (a word of
 * persistent memory, a name, what was printed), so a crash state that gives the same answers ends the same way without
 * being run (docs/ARCHITECTURE.md). Always:
 * - A path from the root is what one run asked, in its order, with the answers it got; its end is how the run ended.
 * - Paths part at an answer, never at a question: what is asked next follows from the answers so far.
 */
import { assert, verifiesOwnWork } from "../base/index.ts";
import { doubled } from "./doubled.ts";

/** A question's number. */
export type Question = number;

/** The answers that the present crash state gives, two words to a question. */
export interface Answers {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/** Questions in the order in which a run asked them, each once. */
export type Asking = Int32Array | readonly Question[];

/** Questions that were asked one after another, with one known answer each: a part of the memo's tables. */
interface Stretch<T> {
  readonly from: number;
  to: number;
  next: { readonly kind: "end"; readonly outcome: T } | Fork<T>;
}

interface Fork<T> {
  readonly kind: "fork";
  readonly question: Question;
  readonly ways: Map<string, Stretch<T>>;
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
  low = new Int32Array(1024);
  high = new Int32Array(1024);
  length = 0;

  /** Keeps the questions from a position on, with their present answers; returns where they begin. */
  append(asked: Asking, position: number, answers: Answers): number {
    const from = this.length;
    this.length += asked.length - position;
    while (this.length > this.questions.length) this.#grow();
    const { questions, low, high } = this;
    const [presentLow, presentHigh, end] = [answers.low, answers.high, asked.length];
    for (let at = from, i = position; i < end; at++, i++) {
      const question = asked[i]!;
      questions[at] = question;
      low[at] = presentLow[question]!;
      high[at] = presentHigh[question]!;
    }
    return from;
  }

  #grow(): void {
    this.questions = doubled(this.questions);
    this.low = doubled(this.low);
    this.high = doubled(this.high);
  }
}

export class RecoveryMemo<T> {
  readonly #room: number;
  readonly #verifies: boolean;
  readonly #tables = new Tables();
  #root: Stretch<T> | undefined;
  /** How far the last search came that found nothing: what was asked up to there need not be gone through again. */
  #missed: Missed<T> | undefined;

  /** `verifies`: what a run asked is gone through from its beginning when it is added. */
  constructor(room = defaultRoom, verifies = verifiesOwnWork()) {
    this.#room = room;
    this.#verifies = verifies;
  }

  find(answers: Answers): T | undefined {
    let position = 0;
    this.#missed = undefined;
    for (let at = this.#root; at !== undefined; ) {
      const same = this.#agreement(at, answers);
      this.#missed = { at, same, position };
      if (same < at.to) return undefined;
      if (at.next.kind === "end") return at.next.outcome;
      position += at.to - at.from + 1;
      at = at.next.ways.get(wayOf(answers, at.next.question));
    }
    return undefined;
  }

  /** What the run asked that `find` knows. */
  *path(answers: Answers): Iterable<Asking> {
    for (let at = this.#root; at !== undefined; ) {
      yield this.#tables.questions.subarray(at.from, at.to);
      if (at.next.kind === "end") return;
      yield [at.next.question];
      at = at.next.ways.get(wayOf(answers, at.next.question));
    }
  }

  /** Keeps a run that `find` was just asked for and did not know. When there is no more room, all that was kept goes. */
  add(asked: Asking, answers: Answers, outcome: T): void {
    const missed = this.#missed;
    this.#missed = undefined;
    if (this.#tables.length + asked.length > this.#room) {
      this.#root = undefined;
      this.#tables.length = 0;
    }
    if (this.#root === undefined) this.#root = this.#stretch(asked, 0, answers, outcome);
    else if (missed === undefined || this.#verifies)
      this.#grow(this.#from(this.#root, answers), asked, answers, outcome);
    else this.#grow(missed, asked, answers, outcome);
  }

  #from(at: Stretch<T>, answers: Answers, position = 0): Missed<T> {
    return { at, same: this.#agreement(at, answers), position };
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
      const way = wayOf(answers, at.next.question);
      const known = at.next.ways.get(way);
      position++;
      if (known === undefined) {
        at.next.ways.set(way, this.#stretch(asked, position, answers, outcome));
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

  /** Up to where the stretch's answers are the present ones, from its beginning. */
  #agreement({ from, to }: Stretch<T>, answers: Answers): number {
    const { questions, low, high } = this.#tables;
    const [presentLow, presentHigh] = [answers.low, answers.high];
    for (let at = from; at < to; at++) {
      const question = questions[at]!;
      if (presentLow[question] !== low[at] || presentHigh[question] !== high[at]) return at;
    }
    return to;
  }

  /** Makes a fork of one of the stretch's answers. */
  #part(stretch: Stretch<T>, at: number): void {
    const { questions, low, high } = this.#tables;
    const rest: Stretch<T> = { from: at + 1, to: stretch.to, next: stretch.next };
    stretch.to = at;
    stretch.next = { kind: "fork", question: questions[at]!, ways: new Map([[`${low[at]} ${high[at]}`, rest]]) };
  }
}

const wayOf = ({ low, high }: Answers, question: Question): string => `${low[question]} ${high[question]}`;
