/**
 * Elementary functions on fixed-point bigints with `FRACTION` fractional bits. Always: arguments are given exactly or to
 * the last bit, and results are within 2^−(FRACTION − 40) of the truth, far finer than any 64-bit rounding needs.
 */
import { integerSquareRoot } from "./bits.ts";

export const FRACTION = 448;
const SHIFT = BigInt(FRACTION);
export const ONE = 1n << SHIFT;

const product = (a: bigint, b: bigint): bigint => (a * b) >> SHIFT;
export const quotient = (a: bigint, b: bigint): bigint => (a << SHIFT) / b;

/** z + z³/3 + z⁵/5 + …; `sign` −1 alternates the signs and so gives atan instead of atanh. */
function oddSeries(z: bigint, sign: bigint): bigint {
  const square = product(z, z) * sign;
  let power = z;
  let sum = z;
  for (let n = 3n; power !== 0n && power !== -1n; n += 2n) {
    power = product(power, square);
    sum += power / n;
  }
  return sum;
}

const inverse = (n: bigint): bigint => ONE / n;

/** ln 2 and π by the classical sums of atanh and atan of small fractions (Machin 1706). */
export const LN2 =
  18n * oddSeries(inverse(26n), 1n) - 2n * oddSeries(inverse(4801n), 1n) + 8n * oddSeries(inverse(8749n), 1n);
export const PI = 16n * oddSeries(inverse(5n), -1n) - 4n * oddSeries(inverse(239n), -1n);

const HALVINGS = 12;

/** Sine and cosine for |r| ≤ 1, from versine and sine of r / 2^12 by repeated doubling. */
export function sineCosine(r: bigint): { readonly sine: bigint; readonly cosine: bigint } {
  const small = r >> BigInt(HALVINGS);
  const square = product(small, small);
  let term = small;
  let sine = small;
  for (let n = 2n; term !== 0n && term !== -1n; n += 2n) {
    term = -product(term, square) / (n * (n + 1n));
    sine += term;
  }
  term = square / 2n;
  let versine = term;
  for (let n = 3n; term !== 0n && term !== -1n; n += 2n) {
    term = -product(term, square) / (n * (n + 1n));
    versine += term;
  }
  for (let i = 0; i < HALVINGS; i++) {
    sine = 2n * (sine - product(sine, versine));
    versine = 4n * versine - 2n * product(versine, versine);
  }
  return { sine, cosine: ONE - versine };
}

/** e^t − 1 for |t| ≤ 1, from t / 2^12 by repeated squaring. */
export function exponentialMinusOne(t: bigint): bigint {
  const small = t >> BigInt(HALVINGS);
  let term = small;
  let sum = small;
  for (let n = 2n; term !== 0n && term !== -1n; n += 1n) {
    term = product(term, small) / n;
    sum += term;
  }
  for (let i = 0; i < HALVINGS; i++) sum = 2n * sum + product(sum, sum);
  return sum;
}

/** ln(1 + f) for −1/2 ≤ f ≤ 1, as 2 atanh(f / (2 + f)). */
export const logarithmOnePlus = (f: bigint): bigint => 2n * oddSeries(quotient(f, 2n * ONE + f), 1n);

/** The arc tangent for 0 ≤ z ≤ 1, after halving the angle three times. */
export function arcTangent(z: bigint): bigint {
  let tangent = z;
  for (let i = 0; i < 3; i++) {
    const root = integerSquareRoot((ONE + product(tangent, tangent)) << SHIFT);
    tangent = quotient(tangent, ONE + root);
  }
  return 8n * oddSeries(tangent, -1n);
}
