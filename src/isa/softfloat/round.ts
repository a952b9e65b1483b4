/**
 * Rounding: the only place where results lose bits and where overflow, underflow and inexact arise
 * (SDM vol. 1, 4.8.4, 4.9.1.4 to 4.9.1.6). Tininess is detected after rounding.
 */
import { big, bitLength, lowBits, powerOfTwo } from "./bits.ts";
import { DOWN, type FloatEnvironment, INEXACT, NEAREST, OVERFLOW, UNDERFLOW, UP } from "./environment.ts";
import type { Format } from "./formats.ts";
import { finite, infinity, type Unpacked, zero } from "./unpacked.ts";

/** Whether a magnitude that keeps `kept` and loses `rest` of `drop` bits moves up to the next kept value. */
function roundsUp(rounding: number, sign: number, kept: bigint, rest: bigint, drop: number): boolean {
  if (rounding !== NEAREST) return rounding === (sign === 0 ? UP : DOWN);
  const half = powerOfTwo(drop - 1);
  return rest > half || (rest === half && (kept & 1n) === 1n);
}

/** `significand` without its low `drop` bits, rounded; sets inexact and `roundedUp`. A negative `drop` appends zeros. */
export function dropBits(env: FloatEnvironment, sign: number, significand: bigint, drop: number): bigint {
  env.roundedUp = false;
  if (drop <= 0) return significand << big(-drop);
  const kept = significand >> big(drop);
  const rest = significand & lowBits(drop);
  if (rest === 0n) return kept;
  env.flags |= INEXACT;
  if (!roundsUp(env.rounding, sign, kept, rest, drop)) return kept;
  env.roundedUp = true;
  return kept + 1n;
}

function overflowed(env: FloatEnvironment, format: Format, sign: number): Unpacked {
  env.flags |= OVERFLOW | INEXACT;
  const away = env.rounding === NEAREST || env.rounding === (sign === 0 ? UP : DOWN);
  env.roundedUp = away;
  if (away) return infinity(sign);
  return finite(sign, format.maxExponent, lowBits(format.precision) << big(64 - format.precision));
}

/** Unmasked, and even the wrapped exponent does not fit (FSCALE alone gets here): every rounding gives the same. */
function farOutside(env: FloatEnvironment, value: Unpacked, roundedUp: boolean): Unpacked {
  env.flags |= INEXACT;
  env.roundedUp = roundedUp;
  return value;
}

/** Rounds a tiny value at the denormals' fixed position, or flushes it to zero. */
function denormalized(
  env: FloatEnvironment,
  format: Format,
  sign: number,
  exponent: number,
  significand: bigint,
  width: number,
): Unpacked {
  if (env.flushToZero) {
    env.flags |= UNDERFLOW | INEXACT;
    return zero(sign);
  }
  const before = env.flags;
  env.flags &= ~INEXACT;
  const drop = Math.min(width - format.precision + format.minExponent - exponent, width + 1);
  const kept = dropBits(env, sign, significand, drop);
  if (env.flags & INEXACT) env.flags |= UNDERFLOW;
  env.flags |= before;
  if (kept === 0n) return zero(sign);
  const length = bitLength(kept);
  return finite(sign, format.minExponent - (format.precision - length), kept << big(64 - length));
}

/**
 * The nearest number of the format to ± significand × 2^(exponent − width + 1), where `significand` has exactly
 * `width` bits. An inexact significand carries a sticky lowest bit at least two places below the format's precision.
 */
export function round(
  env: FloatEnvironment,
  format: Format,
  sign: number,
  exponent: number,
  significand: bigint,
  width: number,
): Unpacked {
  const flagsBefore = env.flags;
  const precision = format.precision;
  let kept = dropBits(env, sign, significand, width - precision);
  let top = exponent;
  if (env.roundedUp && kept >> big(precision) !== 0n) {
    kept >>= 1n;
    top += 1;
  }
  if (top < format.minExponent) {
    if (env.masks & UNDERFLOW) {
      env.flags = flagsBefore;
      return denormalized(env, format, sign, exponent, significand, width);
    }
    env.flags |= UNDERFLOW;
    if (format.wrap === undefined) return zero(sign);
    top += format.wrap;
    if (top < format.minExponent) return farOutside(env, zero(sign), false);
  } else if (top > format.maxExponent) {
    if (env.masks & OVERFLOW) return overflowed(env, format, sign);
    env.flags |= OVERFLOW;
    if (format.wrap === undefined) return infinity(sign);
    top -= format.wrap;
    if (top > format.maxExponent) return farOutside(env, infinity(sign), true);
  }
  return finite(sign, top, kept << big(64 - precision));
}

/** A number already exact in 64 bits, rounded to the format; NaNs, infinities and zeros pass unchanged. */
export function roundUnpacked(env: FloatEnvironment, format: Format, a: Unpacked): Unpacked {
  env.roundedUp = false;
  return a.kind === "finite" ? round(env, format, a.sign, a.exponent, a.significand, 64) : a;
}

/** The magnitude as a whole number, rounded as `rounding` says; sets inexact and `roundedUp`. */
export function wholeMagnitude(env: FloatEnvironment, a: Unpacked, rounding: number): bigint {
  env.roundedUp = false;
  if (a.kind === "zero") return 0n;
  if (a.exponent >= 63) return a.significand << big(a.exponent - 63);
  const saved = env.rounding;
  env.rounding = rounding;
  const whole = dropBits(env, a.sign, a.significand, Math.min(63 - a.exponent, 65));
  env.rounding = saved;
  return whole;
}
