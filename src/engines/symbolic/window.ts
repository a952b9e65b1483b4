/**
 * A load whose address depends on unknown input, as a table is looked up: where few addresses are possible and all can be read, the
 * value is a choice among what lies there, and no address needs to be fixed. Always: every input that satisfies the path's condition
 * gives one of these addresses.
 */
import { evaluateTerm, isConstant, type Term, type Terms } from "../../smt/index.ts";

/** So many addresses are looked at. */
const mostBits = 10;

/** A few bits that say which address it is: by the value of all of them, the first lowest. */
export interface AddressWindow {
  readonly selectors: readonly Term[];
  addressOf(value: number): number;
  /** Values that no input has need no address. */
  isPossible(value: number): boolean;
}

export interface WindowFacts {
  readonly terms: Terms;
  /** Unknown bytes that a term depends on. */
  unknownsOf(term: Term): ReadonlySet<Term>;
  /** Whether the path allows this value of an unknown byte, by its conditions on that byte alone. */
  allows(unknown: Term, value: number): boolean;
}

const bitsOfByte = [0, 1, 2, 3, 4, 5, 6, 7];

/** Undefined: it may be any of too many. */
export function windowOf(address: Term, { terms, unknownsOf, allows }: WindowFacts): AddressWindow | undefined {
  const unknowns = [...unknownsOf(address)];
  const [only] = unknowns;
  if (unknowns.length === 1 && only !== undefined)
    return {
      selectors: bitsOfByte.map((bit) => terms.extract(only, bit, 1)),
      addressOf: (value) => Number(evaluateTerm(address, () => BigInt(value))),
      isPossible: (value) => allows(only, value),
    };
  return byOpenBits(address, terms);
}

/** A constant and the rest that is added to it. */
function parted(address: Term): { readonly base: bigint; readonly rest: Term } {
  let base = 0n;
  let rest = address;
  for (;;) {
    const [left, right] = rest.operands;
    if (rest.op === "add" && isConstant(left!)) [base, rest] = [base + left!.value, right!];
    else if (rest.op === "add" && isConstant(right!)) [base, rest] = [base + right!.value, left!];
    else if (rest.op === "subtract" && isConstant(right!)) [base, rest] = [base - right!.value, left!];
    else return { base, rest };
  }
}

function byOpenBits(address: Term, terms: Terms): AddressWindow | undefined {
  const { base, rest } = parted(address);
  const { zeros, ones } = terms.bitsOf(rest);
  const width = rest.sort as number;
  const open = Array.from({ length: width }, (_, bit) => bit).filter(
    (bit) => (((zeros | ones) >> BigInt(bit)) & 1n) === 0n,
  );
  if (open.length > mostBits) return undefined;
  const offsets = open.map((bit) => 1n << BigInt(bit));
  return {
    selectors: open.map((bit) => terms.extract(rest, bit, 1)),
    addressOf: (value) => {
      const sum = offsets.reduce((all, offset, i) => ((value >> i) & 1 ? all + offset : all), base + ones);
      return Number(BigInt.asUintN(width, sum));
    },
    isPossible: () => true,
  };
}

/** Values that some input has. */
export function possibleValues({ selectors, isPossible }: AddressWindow): readonly number[] {
  return Array.from({ length: 1 << selectors.length }, (_, value) => value).filter(isPossible);
}

/** One of the terms by the value of the selectors; undefined ones may be anything. */
export function chosen(
  terms: Terms,
  { selectors }: AddressWindow,
  at: (value: number) => Term | undefined,
): Term | undefined {
  const one = terms.constant(1, 1n);
  const below = (count: number, value: number): Term | undefined => {
    if (count === 0) return at(value);
    const bit = count - 1;
    const [no, yes] = [below(bit, value), below(bit, value | (1 << bit))];
    if (no === undefined || yes === undefined) return no ?? yes;
    return terms.choose(terms.equal(selectors[bit]!, one), yes, no);
  };
  return below(selectors.length, 0);
}
