/** A theory whose consequences are noted down, as clauses of literals: what a proof needs besides the formula. */
import type { Consequence, Literal, Theory } from "./theory.ts";

/** One of these holds. */
export type Lemma = readonly Literal[];

const lemmaOf = ({ because, implied }: Consequence): Lemma => [
  ...because.map((literal) => -literal),
  ...(implied === 0 ? [] : [implied]),
];

export class NotedTheory implements Theory {
  readonly atoms: number;
  readonly #theory: Theory;
  readonly #lemmas = new Map<string, Lemma>();

  constructor(theory: Theory) {
    this.#theory = theory;
    this.atoms = theory.atoms;
  }

  /** Each once, in the order in which they were first needed. */
  get lemmas(): readonly Lemma[] {
    return [...this.#lemmas.values()];
  }

  push(): void {
    this.#theory.push();
  }

  pop(levels: number): void {
    this.#theory.pop(levels);
  }

  assign(literal: Literal): void {
    this.#theory.assign(literal);
  }

  next(): Consequence | undefined {
    const consequence = this.#theory.next();
    if (consequence !== undefined) {
      const lemma = lemmaOf(consequence);
      this.#lemmas.set(lemma.join(" "), lemma);
    }
    return consequence;
  }
}
