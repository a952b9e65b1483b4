/**
 * Add, subtract, multiply, divide, square root: exact, then rounded once. Always: NaNs are settled before anything else,
 * invalid combinations of infinities and zeros and division by zero next, then the denormal flag, then the result.
 */
import { big, bitLength, integerSquareRoot } from "./bits.ts";
import { DENORMAL, DOWN, type FloatEnvironment, ZERO_DIVIDE } from "./environment.ts";
import type { Format } from "./formats.ts";
import { invalid, isNumber, propagate, propagateOne } from "./nan.ts";
import { round, roundUnpacked } from "./round.ts";
import { infinity, type Unpacked, withSign, zero } from "./unpacked.ts";

export type Binary = (env: FloatEnvironment, format: Format, a: Unpacked, b: Unpacked) => Unpacked;

/** Sets the denormal flag when either operand is one. */
export function noteDenormals(env: FloatEnvironment, a: Unpacked, b: Unpacked): void {
  if (a.denormal || b.denormal) env.flags |= DENORMAL;
}

/** Adds magnitudes with the signs given; both finite, `a` with the larger exponent. */
function sumAligned(env: FloatEnvironment, format: Format, a: Unpacked, signA: number, b: Unpacked, signB: number) {
  const distance = a.exponent - b.exponent;
  const near = distance < 67;
  const left = near ? a.significand << big(distance) : a.significand << 3n;
  const right = near ? b.significand : 1n;
  const lowest = near ? b.exponent - 63 : a.exponent - 66;
  if (signA === signB) {
    const sum = left + right;
    const width = (near ? distance : 3) + (sum >> big((near ? distance : 3) + 64) === 0n ? 64 : 65);
    return round(env, format, signA, lowest + width - 1, sum, width);
  }
  const difference = left - right;
  if (difference === 0n) return zero(env.rounding === DOWN ? 1 : 0);
  const sign = difference > 0n ? signA : signB;
  const magnitude = difference > 0n ? difference : -difference;
  const width = bitLength(magnitude);
  return round(env, format, sign, lowest + width - 1, magnitude, width);
}

function addSigned(env: FloatEnvironment, format: Format, a: Unpacked, b: Unpacked, signB: number): Unpacked {
  env.roundedUp = false;
  if (!isNumber(a) || !isNumber(b)) return propagate(env, a, b);
  if (a.kind === "infinity" && b.kind === "infinity") return a.sign === signB ? a : invalid(env);
  noteDenormals(env, a, b);
  if (a.kind === "infinity") return a;
  if (b.kind === "infinity") return infinity(signB);
  if (a.kind === "zero") {
    if (b.kind === "zero") return a.sign === signB ? a : zero(env.rounding === DOWN ? 1 : 0);
    return roundUnpacked(env, format, withSign(b, signB));
  }
  if (b.kind === "zero") return roundUnpacked(env, format, a);
  return a.exponent >= b.exponent
    ? sumAligned(env, format, a, a.sign, b, signB)
    : sumAligned(env, format, b, signB, a, a.sign);
}

export const add: Binary = (env, format, a, b) => addSigned(env, format, a, b, b.sign);
export const subtract: Binary = (env, format, a, b) => addSigned(env, format, a, b, b.sign ^ 1);

export const multiply: Binary = (env, format, a, b) => {
  env.roundedUp = false;
  if (!isNumber(a) || !isNumber(b)) return propagate(env, a, b);
  const sign = a.sign ^ b.sign;
  if (a.kind === "infinity" || b.kind === "infinity") {
    if (a.kind === "zero" || b.kind === "zero") return invalid(env);
    noteDenormals(env, a, b);
    return infinity(sign);
  }
  noteDenormals(env, a, b);
  if (a.kind === "zero" || b.kind === "zero") return zero(sign);
  const product = a.significand * b.significand;
  const width = product >> 127n === 0n ? 127 : 128;
  return round(env, format, sign, a.exponent + b.exponent + width - 127, product, width);
};

export const divide: Binary = (env, format, a, b) => {
  env.roundedUp = false;
  if (!isNumber(a) || !isNumber(b)) return propagate(env, a, b);
  const sign = a.sign ^ b.sign;
  if (a.kind === b.kind && a.kind !== "finite") return invalid(env);
  if (b.kind === "zero" && a.kind === "finite") {
    env.flags |= ZERO_DIVIDE;
    return infinity(sign);
  }
  noteDenormals(env, a, b);
  if (a.kind === "infinity") return infinity(sign);
  if (b.kind === "infinity" || a.kind === "zero") return zero(sign);
  const dividend = a.significand << 66n;
  let quotient = dividend / b.significand;
  if (quotient * b.significand !== dividend) quotient |= 1n;
  const width = quotient >> 66n === 0n ? 66 : 67;
  return round(env, format, sign, a.exponent - b.exponent - 67 + width, quotient, width);
};

export function squareRoot(env: FloatEnvironment, format: Format, a: Unpacked): Unpacked {
  env.roundedUp = false;
  if (!isNumber(a)) return propagateOne(env, a);
  if (a.kind === "zero") return a;
  if (a.sign === 1) return invalid(env);
  if (a.kind === "infinity") return a;
  if (a.denormal) env.flags |= DENORMAL;
  const odd = a.exponent & 1;
  const radicand = a.significand << (odd === 1 ? 70n : 69n);
  let root = integerSquareRoot(radicand);
  if (root * root !== radicand) root |= 1n;
  return round(env, format, 0, (a.exponent - odd) / 2, root, 67);
}
