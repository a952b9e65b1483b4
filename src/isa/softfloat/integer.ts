/**
 * Between floating point and whole numbers: two's complement and packed BCD (SDM vol. 1, 4.8.3.7, 8.1.2).
 * Always: what does not fit is an invalid operation whose answer is the "indefinite" pattern, and never inexact too.
 */
import { big, bitLength, powerOfTwo } from "./bits.ts";
import { type FloatEnvironment, INEXACT, INVALID } from "./environment.ts";
import { isNumber, propagateOne } from "./nan.ts";
import { wholeMagnitude } from "./round.ts";
import { finite, type Unpacked, withSign, zero } from "./unpacked.ts";

/** A magnitude below 2^64 as a number. */
export function fromMagnitude(sign: number, magnitude: bigint): Unpacked {
  if (magnitude === 0n) return zero(sign);
  const length = bitLength(magnitude);
  return finite(sign, length - 1, magnitude << big(64 - length));
}

/** A signed whole number; zero is positive. */
export const fromInteger = (value: bigint): Unpacked =>
  value < 0n ? fromMagnitude(1, -value) : fromMagnitude(0, value);

/** The whole number nearest to `a` if its magnitude is at most `limit` (positive) or `limitNegative`; undefined with the invalid flag otherwise. */
function wholeWithin(
  env: FloatEnvironment,
  a: Unpacked,
  rounding: number,
  limit: bigint,
  limitNegative: bigint,
): bigint | undefined {
  env.roundedUp = false;
  const flagsBefore = env.flags;
  if (isNumber(a) && a.kind !== "infinity" && a.exponent < 65) {
    const magnitude = wholeMagnitude(env, a, rounding);
    if (magnitude <= (a.sign === 0 ? limit : limitNegative)) return magnitude;
  }
  env.flags = flagsBefore | INVALID;
  env.roundedUp = false;
  return undefined;
}

/** `a` as `bits`-wide two's complement, unsigned pattern. */
export function toInteger(env: FloatEnvironment, a: Unpacked, bits: number, rounding: number): bigint {
  const half = powerOfTwo(bits - 1);
  const magnitude = wholeWithin(env, a, rounding, half - 1n, half);
  if (magnitude === undefined) return half;
  return a.sign === 1 && magnitude !== 0n ? powerOfTwo(bits) - magnitude : magnitude;
}

/** `a` rounded to a whole number in its own format. A change sets the inexact flag unless `quietInexact`. */
export function toIntegral(env: FloatEnvironment, a: Unpacked, rounding: number, quietInexact = false): Unpacked {
  env.roundedUp = false;
  if (!isNumber(a)) return propagateOne(env, a);
  if (a.kind !== "finite" || a.exponent >= 63) return a;
  const flagsBefore = env.flags;
  const result = withSign(fromMagnitude(a.sign, wholeMagnitude(env, a, rounding)), a.sign);
  if (quietInexact) env.flags = (env.flags & ~INEXACT) | flagsBefore;
  return result;
}

const BCD_LIMIT = 10n ** 18n - 1n;
export const BCD_INDEFINITE = 0xffffc000000000000000n;

/** `a` as 80 bits of packed BCD: 18 digits and a sign byte. */
export function toBcd(env: FloatEnvironment, a: Unpacked, rounding: number): bigint {
  const magnitude = wholeWithin(env, a, rounding, BCD_LIMIT, BCD_LIMIT);
  if (magnitude === undefined) return BCD_INDEFINITE;
  const digits = BigInt(`0x${magnitude.toString(10)}`);
  return a.sign === 1 ? digits | (0x80n << 72n) : digits;
}

/** 80 bits of packed BCD as a number. Digits above 9 count with their value, as the processors do. */
export function fromBcd(bits: bigint): Unpacked {
  let magnitude = 0n;
  for (let shift = 68n; shift >= 0n; shift -= 4n) magnitude = magnitude * 10n + ((bits >> shift) & 15n);
  return fromMagnitude(Number((bits >> 79n) & 1n), magnitude);
}
