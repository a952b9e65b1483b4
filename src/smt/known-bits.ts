/**
 * Bits of a term that are the same whatever its variables are worth. Always: they are right; that they are all is not promised.
 * Transfer functions as in LLVM's KnownBits: addition after the carries that are sure either way.
 */
import type { TermOperator } from "./operators.ts";

export interface KnownBits {
  readonly zeros: bigint;
  readonly ones: bigint;
}

export const nothingKnown: KnownBits = { zeros: 0n, ones: 0n };

const mask = (width: number): bigint => (1n << BigInt(width)) - 1n;
const constant = (value: bigint, width: number): KnownBits => ({ zeros: mask(width) ^ value, ones: value });

/** The least and the greatest unsigned value. */
export const leastOf = ({ ones }: KnownBits): bigint => ones;
export const greatestOf = ({ zeros }: KnownBits, width: number): bigint => mask(width) ^ zeros;

/** How wide the operands and the result are, and a constant that goes with the operator. */
interface Shape {
  readonly width: number;
  readonly operandWidths: readonly number[];
  readonly value: bigint;
}

type Transfer = (operands: readonly KnownBits[], shape: Shape) => KnownBits;

const two =
  (transfer: (a: KnownBits, b: KnownBits, width: number) => KnownBits): Transfer =>
  ([a, b], { width }) =>
    transfer(a!, b!, width);

/** A sum's bit is known where both operands' bits and the carry into it are. */
function sum(a: KnownBits, b: KnownBits, carryIn: 0n | 1n, width: number): KnownBits {
  const all = mask(width);
  const least = a.ones + b.ones + carryIn;
  const greatest = (all ^ a.zeros) + (all ^ b.zeros) + carryIn;
  // Where operands are known, the carry into a bit is what the sum's bit differs by.
  const carryZero = ~(greatest ^ a.zeros ^ b.zeros);
  const carryOne = least ^ a.ones ^ b.ones;
  const sure = (a.zeros | a.ones) & (b.zeros | b.ones) & (carryZero | carryOne) & all;
  return { zeros: ~least & sure, ones: least & sure };
}

const inverted = ({ zeros, ones }: KnownBits): KnownBits => ({ zeros: ones, ones: zeros });
const isKnown = ({ zeros, ones }: KnownBits, width: number): boolean => (zeros | ones) === mask(width);

/** By a constant distance; what comes in is `filled`. */
const moved =
  (move: (a: KnownBits, distance: bigint, width: number) => KnownBits): Transfer =>
  ([a, b], { width }) =>
    isKnown(b!, width) && b!.ones < BigInt(width) ? move(a!, b!.ones, width) : nothingKnown;

const shiftedRight = ({ zeros, ones }: KnownBits, distance: bigint, width: number): KnownBits => ({
  zeros: (zeros >> distance) | (mask(width) ^ (mask(width) >> distance)),
  ones: ones >> distance,
});

export const transfers: Partial<Record<TermOperator, Transfer>> = {
  bitAnd: two((a, b) => ({ zeros: a.zeros | b.zeros, ones: a.ones & b.ones })),
  bitOr: two((a, b) => ({ zeros: a.zeros & b.zeros, ones: a.ones | b.ones })),
  bitXor: two((a, b) => ({
    zeros: (a.zeros & b.zeros) | (a.ones & b.ones),
    ones: (a.zeros & b.ones) | (a.ones & b.zeros),
  })),
  add: two((a, b, width) => sum(a, b, 0n, width)),
  subtract: two((a, b, width) => sum(a, inverted(b), 1n, width)),
  shiftLeft: moved(({ zeros, ones }, distance, width) => ({
    zeros: ((zeros << distance) | ((1n << distance) - 1n)) & mask(width),
    ones: (ones << distance) & mask(width),
  })),
  shiftRight: moved(shiftedRight),
  choose: ([, yes, no]) => ({ zeros: yes!.zeros & no!.zeros, ones: yes!.ones & no!.ones }),
  extract: ([a], { width, value }) => ({
    zeros: (a!.zeros >> value) & mask(width),
    ones: (a!.ones >> value) & mask(width),
  }),
  concat: ([high, low], { operandWidths }) => {
    const distance = BigInt(operandWidths[1]!);
    return { zeros: (high!.zeros << distance) | low!.zeros, ones: (high!.ones << distance) | low!.ones };
  },
  extend: ([a], { width, operandWidths }) => ({
    zeros: a!.zeros | (mask(width) ^ mask(operandWidths[0]!)),
    ones: a!.ones,
  }),
  extendSigned: ([a], { width, operandWidths }) => {
    const [all, own] = [mask(width), mask(operandWidths[0]!)];
    const sign = 1n << BigInt(operandWidths[0]! - 1);
    const above = all ^ own;
    return {
      zeros: a!.zeros | (a!.zeros & sign ? above : 0n),
      ones: a!.ones | (a!.ones & sign ? above : 0n),
    };
  },
};

export { constant as knownConstant };
