/**
 * The operators of terms, a row each: what sort the result has and what it is worth on constants. Everything that knows
 * operators (simplification, evaluation, the solvers) has a table of its own that the compiler holds against this one.
 * Always: values of bit vectors are unsigned; booleans are 0 and 1; SMT-LIB's meaning of division by zero.
 */

/** Booleans, or bit vectors of so many bits. */
export type Sort = "bool" | number;

const cut = (width: number, value: bigint): bigint => BigInt.asUintN(width, value);
const signed = (width: number, value: bigint): bigint => BigInt.asIntN(width, value);
const truth = (holds: boolean): bigint => (holds ? 1n : 0n);

/** Operands are worth `values` and `width` bits wide; the result is cut to its own sort by the caller. */
export type Meaning = (values: readonly bigint[], width: number) => bigint;

const two =
  (meaning: (a: bigint, b: bigint, width: number) => bigint): Meaning =>
  (values, width) =>
    meaning(values[0]!, values[1]!, width);

/** Results as wide as their operands. */
export const arithmetic = {
  add: two((a, b) => a + b),
  subtract: two((a, b) => a - b),
  multiply: two((a, b) => a * b),
  divide: two((a, b) => (b === 0n ? -1n : a / b)),
  remainder: two((a, b) => (b === 0n ? a : a % b)),
  bitAnd: two((a, b) => a & b),
  bitOr: two((a, b) => a | b),
  bitXor: two((a, b) => a ^ b),
  shiftLeft: two((a, b, width) => (b >= BigInt(width) ? 0n : a << b)),
  shiftRight: two((a, b, width) => (b >= BigInt(width) ? 0n : a >> b)),
  shiftRightSigned: two((a, b, width) => signed(width, a) >> (b >= BigInt(width) ? BigInt(width) : b)),
} as const satisfies Readonly<Record<string, Meaning>>;

/** Results that are booleans. */
export const comparisons = {
  equal: two((a, b) => truth(a === b)),
  below: two((a, b) => truth(a < b)),
  belowSigned: two((a, b, width) => truth(signed(width, a) < signed(width, b))),
} as const satisfies Readonly<Record<string, Meaning>>;

/** Operands and results that are booleans. */
export const connectives = {
  not: (values) => truth(values[0] === 0n),
  and: (values) => truth(values.every((value) => value !== 0n)),
  or: (values) => truth(values.some((value) => value !== 0n)),
} as const satisfies Readonly<Record<string, Meaning>>;

export type Arithmetic = keyof typeof arithmetic;
export type Comparison = keyof typeof comparisons;
export type Connective = keyof typeof connectives;
/** The others choose, or change the width: `choose` has a condition first; `extract` starts at a bit. */
export type TermOperator =
  | Arithmetic
  | Comparison
  | Connective
  | "choose"
  | "extract"
  | "concat"
  | "extend"
  | "extendSigned";

export const meanings: Readonly<Record<TermOperator, Meaning>> = {
  ...arithmetic,
  ...comparisons,
  ...connectives,
  choose: (values) => (values[0] === 0n ? values[2]! : values[1]!),
  // The lowest bit comes as a second value, the width of the lower half as the third.
  extract: (values) => values[0]! >> values[1]!,
  concat: (values) => (values[0]! << values[2]!) | values[1]!,
  extend: (values) => values[0]!,
  extendSigned: (values, width) => signed(width, values[0]!),
};

/** A value as its sort holds it. */
export const held = (sort: Sort, value: bigint): bigint => (sort === "bool" ? truth(value !== 0n) : cut(sort, value));
