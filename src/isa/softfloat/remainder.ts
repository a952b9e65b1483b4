/**
 * FPREM and FPREM1: the remainder taken in steps, each lowering the exponent difference by at most 63
 * (SDM vol. 2, FPREM). Always: what is computed is exact; rounding and precision control play no part.
 */
import { noteDenormals } from "./arithmetic.ts";
import { big, bitLength } from "./bits.ts";
import type { FloatEnvironment } from "./environment.ts";
import { extended80 } from "./formats.ts";
import { invalid, isNumber, propagate } from "./nan.ts";
import { round } from "./round.ts";
import { type Unpacked, zero } from "./unpacked.ts";

export interface Remainder {
  readonly value: Unpacked;
  /** The low three bits of the quotient (0 while partial); undefined when the operands allow no quotient. */
  readonly quotient: number | undefined;
  /** The reduction must go on with another step. */
  readonly partial: boolean;
}

const whole = (value: Unpacked, quotient?: number): Remainder => ({ value, quotient, partial: false });

/** An exact magnitude × 2^lowest as an 80-bit number. */
function exactly(env: FloatEnvironment, sign: number, lowest: number, magnitude: bigint): Unpacked {
  if (magnitude === 0n) return zero(sign);
  const width = bitLength(magnitude);
  return round(env, extended80, sign, lowest + width - 1, magnitude, width);
}

function reduce(env: FloatEnvironment, a: Unpacked, b: Unpacked, toNearest: boolean): Remainder {
  const distance = a.exponent - b.exponent;
  if (distance < -1 || (distance < 0 && !toNearest)) {
    return whole(exactly(env, a.sign, a.exponent - 63, a.significand), 0);
  }
  if (distance >= 64) {
    const step = (distance & 31) | 32;
    const left = (a.significand << big(step)) % b.significand;
    const value = exactly(env, a.sign, b.exponent - 63 + distance - step, left);
    return { value, quotient: 0, partial: true };
  }
  const lowest = Math.min(a.exponent, b.exponent) - 63;
  const dividend = a.significand << big(a.exponent - 63 - lowest);
  const divisor = b.significand << big(b.exponent - 63 - lowest);
  let quotient = dividend / divisor;
  let rest = dividend - quotient * divisor;
  let sign = a.sign;
  if (toNearest && (rest * 2n > divisor || (rest * 2n === divisor && quotient & 1n))) {
    quotient += 1n;
    rest = divisor - rest;
    sign ^= 1;
  }
  return whole(rest === 0n ? zero(a.sign) : exactly(env, sign, lowest, rest), Number(quotient & 7n));
}

/** One step of a modulo b; the quotient is cut off (FPREM) or rounded to nearest even (FPREM1). */
export function remainder(env: FloatEnvironment, a: Unpacked, b: Unpacked, toNearest: boolean): Remainder {
  env.roundedUp = false;
  if (!isNumber(a) || !isNumber(b)) return whole(propagate(env, a, b));
  if (a.kind === "infinity" || b.kind === "zero") return whole(invalid(env));
  noteDenormals(env, a, b);
  if (a.kind === "zero") return whole(a, 0);
  // The dividend itself: even a denormal one is no underflow, though that may trap.
  if (b.kind === "infinity") return whole(a, 0);
  return reduce(env, a, b, toNearest);
}
