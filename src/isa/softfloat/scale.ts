/** FSCALE and FXTRACT: work on the exponent (SDM vol. 2, tables 3-29 for FSCALE and the text of FXTRACT). */
import { noteDenormals } from "./arithmetic.ts";
import { DENORMAL, type FloatEnvironment, ZERO_DIVIDE } from "./environment.ts";
import type { Format } from "./formats.ts";
import { fromInteger } from "./integer.ts";
import { invalid, isNumber, propagate, propagateOne } from "./nan.ts";
import { round } from "./round.ts";
import { finite, infinity, type Unpacked, zero } from "./unpacked.ts";

/** No exponent difference that matters is larger; beyond it every result overflows or underflows. */
const SCALE_LIMIT = 0x10000;

function wholeScale(b: Unpacked): number {
  if (b.kind === "zero" || b.exponent < 0) return 0;
  const magnitude = b.exponent > 16 ? SCALE_LIMIT : Number(b.significand >> BigInt(63 - b.exponent));
  return b.sign === 1 ? -magnitude : magnitude;
}

/** a × 2^trunc(b). */
export function scale(env: FloatEnvironment, format: Format, a: Unpacked, b: Unpacked): Unpacked {
  env.roundedUp = false;
  if (!isNumber(a) || !isNumber(b)) return propagate(env, a, b);
  if (b.kind === "infinity") {
    if (a.kind === (b.sign === 1 ? "infinity" : "zero")) return invalid(env);
    noteDenormals(env, a, b);
    return b.sign === 1 ? zero(a.sign) : infinity(a.sign);
  }
  noteDenormals(env, a, b);
  // By zero it is the number itself: even a denormal one is no underflow, though that may trap.
  if (a.kind !== "finite" || b.kind === "zero") return a;
  return round(env, format, a.sign, a.exponent + wholeScale(b), a.significand, 64);
}

export interface Extracted {
  readonly exponent: Unpacked;
  readonly significand: Unpacked;
}

/** The exponent and the significand (in [1, 2), with the sign) of `a` as two numbers. */
export function extract(env: FloatEnvironment, a: Unpacked): Extracted {
  env.roundedUp = false;
  if (!isNumber(a)) {
    const result = propagateOne(env, a);
    return { exponent: result, significand: result };
  }
  if (a.kind === "infinity") return { exponent: infinity(0), significand: a };
  if (a.kind === "zero") {
    env.flags |= ZERO_DIVIDE;
    return { exponent: infinity(1), significand: a };
  }
  if (a.denormal) env.flags |= DENORMAL;
  return { exponent: fromInteger(BigInt(a.exponent)), significand: finite(a.sign, 0, a.significand) };
}
