/** Unknown bytes: variables of eight bits, each with a name for people and what it is worth where nobody asks for another value. */
import { type Assignment, bottomUp, type Term, type Terms } from "../../smt/index.ts";

export interface Unknown {
  /** Of the input that it is a byte of: "argument 1", "stdin", or as the program called it. */
  readonly of: string;
  readonly index: number;
  readonly given: number;
}

/** What unknown bytes are worth; those that are left out are as given. */
export type Model = ReadonlyMap<Term, bigint>;

export class Unknowns {
  readonly #terms: Terms;
  readonly #known = new Map<Term, Unknown>();

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  get count(): number {
    return this.#known.size;
  }

  /** One byte of an input; the same one whenever it is asked for. */
  byte(of: string, index: number, given: number): Term {
    const term = this.#terms.variable(8, `${of}[${index}]`);
    if (!this.#known.has(term)) this.#known.set(term, { of, index, given });
    return term;
  }

  get all(): readonly Term[] {
    return [...this.#known.keys()];
  }
  about(variable: Term): Unknown {
    return this.#known.get(variable)!;
  }

  assignment(model: Model): Assignment {
    return (variable) => model.get(variable) ?? BigInt(this.#known.get(variable)!.given);
  }

  /** Inputs that bytes are unknown of. */
  get names(): readonly string[] {
    return [...new Set([...this.#known.values()].map(({ of }) => of))];
  }

  /** All bytes of an input, in order, from its first on. */
  bytesOf(of: string, model: Model): Uint8Array {
    const worth = this.assignment(model);
    const own = [...this.#known].filter(([, unknown]) => unknown.of === of);
    const bytes = new Uint8Array(own.reduce((size, [, { index }]) => Math.max(size, index + 1), 0));
    for (const [variable, { index }] of own) bytes[index] = Number(worth(variable));
    return bytes;
  }
}

/** Unknown bytes that a term depends on; remembered, since terms share most of what they are made of. */
export class Influence {
  readonly #known = new Map<Term, ReadonlySet<Term>>();
  readonly #none: ReadonlySet<Term> = new Set();

  of(root: Term): ReadonlySet<Term> {
    return bottomUp(root, this.#known, (term) => this.#union(term));
  }

  /** Operands that depend on the same share one set. */
  #union(term: Term): ReadonlySet<Term> {
    if (term.op === "variable") return new Set([term]);
    let all = this.#none;
    for (const operand of term.operands) {
      const own = this.#known.get(operand)!;
      if (own.size === 0 || isWithin(own, all)) continue;
      all = isWithin(all, own) ? own : new Set([...all, ...own]);
    }
    return all;
  }
}

const isWithin = (small: ReadonlySet<Term>, large: ReadonlySet<Term>): boolean =>
  small.size <= large.size && [...small].every((term) => large.has(term));
