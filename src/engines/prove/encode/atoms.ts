/** The atoms of a formula: conditions that the theory of order must know, each a variable of its own that is defined by its condition. */
import type { Literal, Term, Terms } from "../../../smt/index.ts";

/** A condition that no execution fulfils. */
export const NEVER = Symbol("never");
export type Guard = Literal | typeof NEVER;

export class Atoms {
  readonly #terms: Terms;
  readonly #literals = new Map<Term, Literal>();
  /** The first is atom 1. */
  readonly variables: Term[] = [];
  /** What the variables mean. */
  readonly definitions: Term[] = [];

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /** The literal that holds exactly when the condition does; 0 when it always does. */
  of(condition: Term): Guard {
    if (condition === this.#terms.true) return 0;
    if (condition === this.#terms.false) return NEVER;
    if (condition.op === "not") return -(this.of(condition.operands[0]!) as Literal);
    const known = this.#literals.get(condition);
    if (known !== undefined) return known;
    if (condition.op === "variable") return this.#add(condition, condition);
    const variable = this.#terms.variable("bool", `atom ${this.variables.length + 1}`);
    this.definitions.push(this.#terms.equal(variable, condition));
    return this.#add(condition, variable);
  }

  #add(condition: Term, variable: Term): Literal {
    const literal = this.variables.push(variable);
    this.#literals.set(condition, literal);
    return literal;
  }
}
