/**
 * What terms may be worth, as small sets of numbers, when what loads find is one of given sets: for addresses, so that events know
 * which others they may meet. Always: a set holds every value that the term may have; undefined stands for any.
 */
import { appliedTo, bottomUp, type Term, type Terms } from "../../../smt/index.ts";

export type Values = ReadonlySet<bigint> | undefined;

/** Larger sets are any value: no address is computed in so many ways. */
const most = 256;
/** Combinations of operands that are gone through. */
const mostCombinations = 4096;

const either: Values = new Set([0n, 1n]);

export class PossibleValues {
  readonly #known = new Map<Term, Values>();
  readonly #found: ReadonlyMap<Term, Values>;

  readonly #terms: Terms;

  /** `found` has the sets of variables; other variables may be anything. */
  constructor(terms: Terms, found: ReadonlyMap<Term, Values>) {
    this.#terms = terms;
    this.#found = found;
  }

  of(root: Term): Values {
    return bottomUp(root, this.#known, (term) => this.#valuesOf(term));
  }

  #valuesOf(term: Term): Values {
    if (term.op === "constant") return new Set([term.value]);
    if (term.op === "variable") return this.#found.has(term) ? this.#found.get(term) : this.#anyOf(term);
    const operands = term.operands.map((operand) => this.#known.get(operand));
    if (term.op === "choose") return chosen(operands);
    const known = operands.every((values) => values !== undefined);
    return (known ? combined(term, operands) : undefined) ?? this.#anyOf(term);
  }

  /** A few bits of an unknown number are a few values: what is left of it is an index. */
  #anyOf(term: Term): Values {
    if (term.sort === "bool") return either;
    const values = this.#terms.valuesByBits(term, most);
    return values && new Set(values);
  }
}

function chosen([conditions, yes, no]: readonly Values[]): Values {
  const may = (value: bigint) => conditions?.has(value) ?? true;
  return united([...(may(1n) ? [yes] : []), ...(may(0n) ? [no] : [])]);
}

export function united(sets: readonly Values[]): Values {
  const all = new Set<bigint>();
  for (const set of sets) {
    if (set === undefined) return undefined;
    for (const value of set) all.add(value);
  }
  return all.size > most ? undefined : all;
}

function combined(term: Term, operands: readonly ReadonlySet<bigint>[]): Values {
  if (operands.reduce((product, { size }) => product * size, 1) > mostCombinations) return undefined;
  let tuples: bigint[][] = [[]];
  for (const values of operands) tuples = tuples.flatMap((tuple) => [...values].map((value) => [...tuple, value]));
  const results = new Set(tuples.map((tuple) => appliedTo(term, tuple)));
  return results.size > most ? undefined : results;
}
