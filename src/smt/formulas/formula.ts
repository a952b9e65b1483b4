/**
 * Formulas over terms: what an operation on bit vectors is. i32 and f32 are 32 bits wide, i64 and f64 are 64, v128 is 128 with lane 0
 * lowest. Conditions of the IR are i32, 0 or 1.
 */
import type { Comparison } from "../operators.ts";
import type { Term, Terms } from "../terms.ts";

/** An operation's operands, and its lane where it has one. */
export type Formula = (t: Terms, operands: readonly Term[], lane: number) => Term;

export const widthOf = (term: Term): number => term.sort as number;
export const constantLike = (t: Terms, like: Term, value: bigint): Term => t.constant(like.sort, value);

export const truthBits = (t: Terms, condition: Term, width = 32): Term => t.bit(condition, width);
export const isZero = (t: Terms, term: Term): Term => t.equal(term, constantLike(t, term, 0n));
export const negated = (t: Terms, term: Term): Term => t.compute("subtract", constantLike(t, term, 0n), term);
export const inverted = (t: Terms, term: Term): Term => t.compute("bitXor", term, constantLike(t, term, -1n));

/** The comparisons of WebAssembly by the three that terms have. */
export const comparisons = {
  eq: (t: Terms, a: Term, b: Term) => t.equal(a, b),
  ne: (t: Terms, a: Term, b: Term) => t.not(t.equal(a, b)),
  lt_u: ordered("below", "as given", "plain"),
  lt_s: ordered("belowSigned", "as given", "plain"),
  gt_u: ordered("below", "swapped", "plain"),
  gt_s: ordered("belowSigned", "swapped", "plain"),
  le_u: ordered("below", "swapped", "negated"),
  le_s: ordered("belowSigned", "swapped", "negated"),
  ge_u: ordered("below", "as given", "negated"),
  ge_s: ordered("belowSigned", "as given", "negated"),
} as const;
export type ComparisonName = keyof typeof comparisons;

function ordered(op: Comparison, order: "as given" | "swapped", polarity: "plain" | "negated") {
  return (t: Terms, a: Term, b: Term): Term => {
    const holds = order === "as given" ? t.compare(op, a, b) : t.compare(op, b, a);
    return polarity === "plain" ? holds : t.not(holds);
  };
}

/** Bits that are set, counted in halves: each step adds neighbouring counts (Hacker's Delight 5-1). */
export function populationCount(t: Terms, term: Term): Term {
  const width = widthOf(term);
  const part = (at: number) => t.extend(t.extract(term, at, 1), width);
  let counts = Array.from({ length: width }, (_, at) => part(at));
  while (counts.length > 1)
    counts = Array.from({ length: counts.length / 2 }, (_, i) => t.compute("add", counts[2 * i]!, counts[2 * i + 1]!));
  return counts[0]!;
}

/** Zeros before the first bit that is set, from the top or from the bottom; the width if none is. */
export function zerosBefore(t: Terms, term: Term, from: "top" | "bottom"): Term {
  const width = widthOf(term);
  let count = t.constant(width, BigInt(width));
  for (let i = width - 1; i >= 0; i--) {
    const at = from === "bottom" ? i : width - 1 - i;
    count = t.choose(t.equal(t.extract(term, at, 1), t.constant(1, 1n)), t.constant(width, BigInt(i)), count);
  }
  return count;
}

/** A shift whose count is taken modulo the width, as WebAssembly does. */
export function shifted(t: Terms, op: "shiftLeft" | "shiftRight" | "shiftRightSigned", term: Term, count: Term): Term {
  const width = widthOf(term);
  const wide = widthOf(count) < width ? t.extend(count, width) : t.extract(count, 0, width);
  return t.compute(op, term, t.compute("bitAnd", wide, t.constant(width, BigInt(width - 1))));
}

/** Of the lowest bits: signed division out of the unsigned one (SMT-LIB's bvsdiv and bvsrem). */
export function dividedSigned(t: Terms, op: "divide" | "remainder", a: Term, b: Term): Term {
  const isNegative = (term: Term) => t.compare("belowSigned", term, constantLike(t, term, 0n));
  const magnitude = (term: Term) => t.choose(isNegative(term), negated(t, term), term);
  const result = t.compute(op, magnitude(a), magnitude(b));
  const [left, right] = [isNegative(a), isNegative(b)];
  const flips = op === "divide" ? t.not(t.equal(left, right)) : left;
  return t.choose(flips, negated(t, result), result);
}
