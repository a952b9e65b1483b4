/**
 * What recoveries asked and were answered, as one tree for all points. Recovery is a function of the answers it gets, so a
 * way through the tree stands for every crash state, of any point, that gives these answers. Always:
 * - A stretch is questions asked one after another with one known answer each. Behind it recovery ends, or ways part at the
 *   answers to one more question, or a run that will tell is awaited.
 * - Ways part at an answer, never at a question: what is asked next follows from the answers so far.
 * - Nothing is ever forgotten: who explores stops when `isFull`.
 */
import { assert } from "../../base/index.ts";
import type { RecoveryEnd } from "../states/index.ts";
import { AnsweredQuestions, type AnsweredReader, type Place } from "./answered-questions.ts";
import { mostWords } from "./growing-words.ts";

/** Questions are numbers; so are answers, equal when what was answered is. */
export type Question = number;
export type AnswerNumber = number;

export interface Leaf {
  readonly kind: "leaf";
  readonly number: number;
  readonly ended: RecoveryEnd;
}
export interface Fork {
  readonly kind: "fork";
  readonly question: Question;
  readonly ways: Map<AnswerNumber, Stretch>;
}
/** Nobody knows yet what follows. */
export interface Awaited {
  readonly kind: "awaited";
  requested: boolean;
}

export interface Stretch {
  parent: Stretch | undefined;
  readonly from: Place;
  to: Place;
  next: Leaf | Fork | Awaited;
  /** What is asked in it and below, as bits (`bitOf`). */
  asks: number;
  /** Awaited runs below it, or its own. */
  awaited: number;
}

/** Half of what its lists can hold at all, so that no run is too long for what is left. A computer's memory may end before: who explores asks for it. */
const wordsKept = mostWords / 2;

export class RecoveryTree {
  readonly #asked = new AnsweredQuestions();
  readonly #bitOf: (question: Question) => number;
  readonly #room: number;
  readonly root: Stretch;
  readonly leaves: Leaf[] = [];

  /** `bitOf` puts each question into one of 32 classes, by which parts of the tree without some are known; each 16 into one. */
  constructor(bitOf: (question: Question) => number, room = wordsKept) {
    this.#bitOf = bitOf;
    this.#room = room;
    this.root = this.#awaitedBelow(undefined);
  }

  /** What is asked along a stretch, with the answers that it has. Valid until a run is told. */
  read({ from, to }: Pick<Stretch, "from" | "to">): AnsweredReader {
    return this.#asked.read(from, to);
  }
  get isFull(): boolean {
    return this.#asked.kept > this.#room;
  }

  #awaitedBelow(parent: Stretch | undefined): Stretch {
    const { end } = this.#asked;
    const next: Awaited = { kind: "awaited", requested: false };
    const stretch: Stretch = { parent, from: end, to: end, next, asks: 0, awaited: 1 };
    for (let above = parent; above !== undefined; above = above.parent) above.awaited++;
    return stretch;
  }

  /** The way that an answer leads to; one that is new is awaited. */
  way(stretch: Stretch, answer: AnswerNumber): Stretch {
    assert(stretch.next.kind === "fork", "ways part at a fork");
    const { ways } = stretch.next;
    const way = ways.get(answer) ?? this.#awaitedBelow(stretch);
    ways.set(answer, way);
    return way;
  }

  /** Neighbouring questions are mostly of one class. */
  #bitsOf(asked: Int32Array): number {
    let asks = 0;
    let last = -1;
    for (let i = 0; i < asked.length; i++) {
      const group = asked[i]! >>> 4;
      if (group !== last) asks |= this.#bitOf(asked[i]!);
      last = group;
    }
    return asks;
  }

  /** Makes a fork of the question of the stretch that is read next. */
  part(stretch: Stretch, { place, question, answer }: AnsweredReader): void {
    const rest: Stretch = { ...stretch, parent: stretch, from: this.#asked.behind(place) };
    if (rest.next.kind === "fork") for (const way of rest.next.ways.values()) way.parent = rest;
    stretch.to = place;
    stretch.next = { kind: "fork", question, ways: new Map([[answer, rest]]) };
  }

  /** A run has told: what it asked from here on, with the answers it got, and how it ended. */
  fill(stretch: Stretch, asked: Int32Array, answers: Int32Array, ended: RecoveryEnd): Leaf {
    assert(stretch.next.kind === "awaited" && stretch.from === stretch.to, "a run is told once");
    const leaf: Leaf = { kind: "leaf", number: this.leaves.length, ended };
    const filled = stretch as { -readonly [K in keyof Stretch]: Stretch[K] };
    filled.from = this.#asked.end;
    filled.to = this.#asked.add(asked, answers);
    let asks = this.#bitsOf(asked);
    filled.next = leaf;
    filled.asks = asks;
    for (let above: Stretch | undefined = stretch; above !== undefined; above = above.parent) {
      const fork = above.next.kind === "fork" ? this.#bitOf(above.next.question) : 0;
      asks |= fork;
      above.asks |= asks;
      above.awaited--;
    }
    this.leaves.push(leaf);
    return leaf;
  }
}
