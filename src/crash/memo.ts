/**
 * What runs of recovery asked and how they ended. Recovery is a function of the answers to what it asks (a word of
 * persistent memory, a name, what was printed), so a crash state that gives the same answers ends the same way without
 * being run (docs/ARCHITECTURE.md). Always:
 * - A path from the root is what one run asked, in its order, with the answers it got; its end is how the run ended.
 * - Paths part at an answer, never at a question: what is asked next follows from the answers so far.
 */
import { assert } from "../base/index.ts";

/** A question's number. */
export type Question = number;

/** The answers that the present crash state gives, two words to a question. */
export interface Answers {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/** Questions in the order in which a run asked them, each once. */
export type Asking = Int32Array | readonly Question[];

interface Stretch<T> {
  /** Asked one after another, with one known answer each. */
  questions: Int32Array;
  low: Int32Array;
  high: Int32Array;
  next: { readonly kind: "end"; readonly outcome: T } | Fork<T>;
}

interface Fork<T> {
  readonly kind: "fork";
  readonly question: Question;
  readonly ways: Map<string, Stretch<T>>;
}

/** Questions kept at most, about 12 bytes each. */
const defaultRoom = 16_000_000;

export class RecoveryMemo<T> {
  readonly #room: number;
  #root: Stretch<T> | undefined;
  #kept = 0;

  constructor(room = defaultRoom) {
    this.#room = room;
  }

  find(answers: Answers): T | undefined {
    let at = this.#root;
    while (at !== undefined) {
      if (agreement(at, answers) < at.questions.length) return undefined;
      if (at.next.kind === "end") return at.next.outcome;
      at = at.next.ways.get(wayOf(answers, at.next.question));
    }
    return undefined;
  }

  /** What the run asked that `find` knows. */
  *path(answers: Answers): Iterable<Asking> {
    for (let at = this.#root; at !== undefined; ) {
      yield at.questions;
      if (at.next.kind === "end") return;
      yield [at.next.question];
      at = at.next.ways.get(wayOf(answers, at.next.question));
    }
  }

  /** Keeps a run that `find` did not know. When there is no more room, all that was kept goes. */
  add(asked: Asking, answers: Answers, outcome: T): void {
    if (this.#kept + asked.length > this.#room) {
      this.#root = undefined;
      this.#kept = 0;
    }
    this.#kept += asked.length;
    if (this.#root === undefined) this.#root = stretchOf(asked, 0, answers, outcome);
    else this.#grow(this.#root, asked, answers, outcome);
  }

  #grow(root: Stretch<T>, asked: Asking, answers: Answers, outcome: T): void {
    let at = root;
    let position = 0;
    for (;;) {
      const same = agreement(at, answers);
      for (let i = 0; i < same; i++)
        assert(asked[position + i] === at.questions[i], "recovery asks the same while it gets the same answers");
      position += same;
      if (same < at.questions.length) part(at, same);
      assert(at.next.kind === "fork", "recovery ends the same when it gets the same answers");
      assert(asked[position] === at.next.question, "recovery asks the same while it gets the same answers");
      const way = wayOf(answers, at.next.question);
      const known = at.next.ways.get(way);
      position++;
      if (known === undefined) {
        at.next.ways.set(way, stretchOf(asked, position, answers, outcome));
        return;
      }
      at = known;
    }
  }
}

const wayOf = ({ low, high }: Answers, question: Question): string => `${low[question]} ${high[question]}`;

/** How many of the stretch's answers are the present ones, from its beginning. */
function agreement<T>({ questions, low, high }: Stretch<T>, answers: Answers): number {
  for (let i = 0; i < questions.length; i++) {
    const question = questions[i]!;
    if (answers.low[question] !== low[i] || answers.high[question] !== high[i]) return i;
  }
  return questions.length;
}

function stretchOf<T>(asked: Asking, from: number, answers: Answers, outcome: T): Stretch<T> {
  const questions = Int32Array.from(asked.slice(from));
  const [low, high] = [new Int32Array(questions.length), new Int32Array(questions.length)];
  for (let i = 0; i < questions.length; i++) {
    low[i] = answers.low[questions[i]!]!;
    high[i] = answers.high[questions[i]!]!;
  }
  return { questions, low, high, next: { kind: "end", outcome } };
}

/** Makes a fork of the stretch's answer at a position. */
function part<T>(stretch: Stretch<T>, at: number): void {
  const { questions, low, high, next } = stretch;
  const rest: Stretch<T> = {
    questions: questions.slice(at + 1),
    low: low.slice(at + 1),
    high: high.slice(at + 1),
    next,
  };
  const question = questions[at]!;
  stretch.questions = questions.slice(0, at);
  stretch.low = low.slice(0, at);
  stretch.high = high.slice(0, at);
  stretch.next = { kind: "fork", question, ways: new Map([[`${low[at]} ${high[at]}`, rest]]) };
}
