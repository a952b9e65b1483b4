/**
 * Multiply and add with one rounding: the sum is exact before it (SDM vol. 1, 14.5.3). NaNs and what is invalid are settled
 * first, as elsewhere; the first operand that is a NaN passes it on, factors before the addend.
 */
import { noteDenormals } from "./arithmetic.ts";
import { big, bitLength } from "./bits.ts";
import { DENORMAL, DOWN, type FloatEnvironment, INVALID } from "./environment.ts";
import type { Format } from "./formats.ts";
import { invalid, isNumber } from "./nan.ts";
import { round, roundUnpacked } from "./round.ts";
import { infinity, quieted, type Unpacked, zero } from "./unpacked.ts";

const isInfiniteTimesZero = (a: Unpacked, b: Unpacked): boolean =>
  (a.kind === "infinity" && b.kind === "zero") || (a.kind === "zero" && b.kind === "infinity");

function propagateThree(env: FloatEnvironment, operands: readonly Unpacked[]): Unpacked {
  if (operands.some(({ kind }) => kind === "signaling")) env.flags |= INVALID;
  return quieted(operands.find((operand) => !isNumber(operand))!);
}

/** A sum of zeros, or of numbers that cancel. */
const zeroSum = (env: FloatEnvironment, left: number, right: number): Unpacked =>
  zero(left === right ? left : env.rounding === DOWN ? 1 : 0);

export function fusedMultiplyAdd(
  env: FloatEnvironment,
  format: Format,
  a: Unpacked,
  b: Unpacked,
  c: Unpacked,
): Unpacked {
  env.roundedUp = false;
  if (![a, b, c].every(isNumber)) return propagateThree(env, [a, b, c]);
  if (isInfiniteTimesZero(a, b)) return invalid(env);
  const sign = a.sign ^ b.sign;
  const isInfinite = a.kind === "infinity" || b.kind === "infinity";
  if (isInfinite && c.kind === "infinity" && c.sign !== sign) return invalid(env);
  noteDenormals(env, a, b);
  if (c.denormal) env.flags |= DENORMAL;
  if (isInfinite) return infinity(sign);
  if (c.kind === "infinity") return c;
  if (a.kind === "zero" || b.kind === "zero")
    return c.kind === "zero" ? zeroSum(env, sign, c.sign) : roundUnpacked(env, format, c);
  return roundedSum(
    env,
    format,
    { sign, lowest: a.exponent + b.exponent - 126, magnitude: a.significand * b.significand },
    c,
  );
}

interface Exact {
  readonly sign: number;
  /** The number is ± magnitude × 2^lowest. */
  readonly lowest: number;
  readonly magnitude: bigint;
}

function roundedSum(env: FloatEnvironment, format: Format, product: Exact, c: Unpacked): Unpacked {
  const addend: Exact = { sign: c.sign, lowest: c.exponent - 63, magnitude: c.kind === "zero" ? 0n : c.significand };
  const lowest = addend.magnitude === 0n ? product.lowest : Math.min(product.lowest, addend.lowest);
  const whole = (exact: Exact): bigint => {
    if (exact.magnitude === 0n) return 0n;
    const shifted = exact.magnitude << big(exact.lowest - lowest);
    return exact.sign === 0 ? shifted : -shifted;
  };
  const sum = whole(product) + whole(addend);
  if (sum === 0n) return zeroSum(env, product.sign, addend.sign);
  const magnitude = sum < 0n ? -sum : sum;
  const width = bitLength(magnitude);
  return round(env, format, sum < 0n ? 1 : 0, lowest + width - 1, magnitude, width);
}
