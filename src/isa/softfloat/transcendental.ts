/**
 * The x87's transcendental functions, correctly rounded to 64 bits except for one deliberate flaw of the processors:
 * FSIN, FCOS, FSINCOS and FPTAN reduce their argument by a π of 66 bits (SDM vol. 1, 8.3.8). Always:
 * - Precision control is ignored; the rounding mode is not.
 * - A result is inexact unless it is one of the exact cases treated first.
 */
import { noteDenormals } from "./arithmetic.ts";
import { big, bitLength } from "./bits.ts";
import { DENORMAL, type FloatEnvironment, INEXACT, UNDERFLOW, ZERO_DIVIDE } from "./environment.ts";
import {
  arcTangent,
  exponentialMinusOne,
  FRACTION,
  LN2,
  logarithmOnePlus,
  ONE,
  PI,
  quotient,
  sineCosine,
} from "./fixed.ts";
import { extended80 } from "./formats.ts";
import { fromInteger } from "./integer.ts";
import { invalid, isNumber, propagate, propagateOne } from "./nan.ts";
import { round } from "./round.ts";
import { finite, INTEGER_BIT, infinity, type Unpacked, zero } from "./unpacked.ts";

/** Below 2^−140 the second term of every series is lost in rounding; the first is taken with a nudge. */
const TINY = -140;

const one = (sign: number): Unpacked => finite(sign, 0, INTEGER_BIT);

/** ± magnitude × 2^(scale), an inexact value with more bits than any format. */
function inexactly(env: FloatEnvironment, sign: number, magnitude: bigint, scale: number): Unpacked {
  const padded = magnitude << 128n;
  const width = bitLength(padded);
  return round(env, extended80, sign, scale - 128 + width - 1, padded | 1n, width);
}

const fromFixed = (env: FloatEnvironment, value: bigint): Unpacked =>
  value < 0n ? inexactly(env, 1, -value, -FRACTION) : inexactly(env, 0, value, -FRACTION);

/** A number a trifle nearer to zero than `a`. */
const justBelow = (env: FloatEnvironment, a: Unpacked): Unpacked =>
  inexactly(env, a.sign, (a.significand << 128n) - 1n, a.exponent - 63 - 128);
/** A number a trifle farther from zero than `a`. */
const justAbove = (env: FloatEnvironment, a: Unpacked): Unpacked =>
  inexactly(env, a.sign, a.significand, a.exponent - 63);

/** Exact for exponents from TINY up. */
function toFixed(a: Unpacked): bigint {
  const magnitude = a.significand << big(FRACTION - 63 + a.exponent);
  return a.sign === 1 ? -magnitude : magnitude;
}

// --- sine, cosine, tangent ---

const HALF_PI_66 = 0x3243f6a8885a308d3n << BigInt(FRACTION - 65);

/** Sine and cosine of a finite number that is not tiny. */
function circular(a: Unpacked): { readonly sine: bigint; readonly cosine: bigint } {
  const x = toFixed(a);
  const doubled = 2n * x + (x < 0n ? -HALF_PI_66 : HALF_PI_66);
  const quarter = doubled / (2n * HALF_PI_66);
  const { sine, cosine } = sineCosine(x - quarter * HALF_PI_66);
  const turned = [
    { sine, cosine },
    { sine: cosine, cosine: -sine },
    { sine: -sine, cosine: -cosine },
    { sine: -cosine, cosine: sine },
  ];
  return turned[Number(quarter & 3n)] as { sine: bigint; cosine: bigint };
}

/** The argument is beyond the range of these instructions: they set C2 and do nothing else. */
export const outOfCircularRange = (a: Unpacked): boolean => a.kind === "finite" && a.exponent >= 63;

function circularSpecial(env: FloatEnvironment, a: Unpacked): Unpacked | undefined {
  env.roundedUp = false;
  if (!isNumber(a)) return propagateOne(env, a);
  if (a.kind === "infinity") return invalid(env);
  if (a.denormal) env.flags |= DENORMAL;
  return undefined;
}

export function sine(env: FloatEnvironment, a: Unpacked): Unpacked {
  const special = circularSpecial(env, a);
  if (special !== undefined || a.kind === "zero") return special ?? a;
  return a.exponent < TINY ? justBelow(env, a) : fromFixed(env, circular(a).sine);
}

export function cosine(env: FloatEnvironment, a: Unpacked): Unpacked {
  const special = circularSpecial(env, a);
  if (special !== undefined || a.kind === "zero") return special ?? one(0);
  return a.exponent < TINY ? justBelow(env, one(0)) : fromFixed(env, circular(a).cosine);
}

export function tangent(env: FloatEnvironment, a: Unpacked): Unpacked {
  const special = circularSpecial(env, a);
  if (special !== undefined || a.kind === "zero") return special ?? a;
  if (a.exponent < TINY) return justAbove(env, a);
  const angle = circular(a);
  return fromFixed(env, quotient(angle.sine, angle.cosine));
}

// --- arc tangent ---

/** The angle of (x, y) where one of them is zero or infinite: a multiple of π/4, or zero. */
function axisAngle(env: FloatEnvironment, y: Unpacked, x: Unpacked): Unpacked {
  const flat = y.kind === "zero" || (x.kind === "infinity" && y.kind !== "infinity");
  if (flat) return x.sign === 0 ? zero(y.sign) : inexactly(env, y.sign, PI, -FRACTION);
  const eighths = y.kind === "infinity" && x.kind === "infinity" ? (x.sign === 0 ? 1n : 3n) : 2n;
  return inexactly(env, y.sign, (PI * eighths) >> 2n, -FRACTION);
}

/** The angle of the point (x, y): FPATAN with y in ST(1) and x in ST(0). */
export function arcTangent2(env: FloatEnvironment, y: Unpacked, x: Unpacked): Unpacked {
  env.roundedUp = false;
  if (!isNumber(x) || !isNumber(y)) return propagate(env, x, y);
  noteDenormals(env, x, y);
  if (x.kind !== "finite" || y.kind !== "finite") return axisAngle(env, y, x);
  const distance = y.exponent - x.exponent;
  if (x.sign === 0 && distance < TINY) {
    const ratio = (y.significand << 256n) / x.significand;
    return inexactly(env, y.sign, (ratio << 128n) - 1n, distance - 256 - 128);
  }
  const steep = distance > 0 || (distance === 0 && y.significand > x.significand);
  const [small, large] = steep ? [x, y] : [y, x];
  const drop = large.exponent - small.exponent;
  const ratio = drop > FRACTION ? 0n : (small.significand << big(FRACTION - drop)) / large.significand;
  const within = steep ? PI / 2n - arcTangent(ratio) : arcTangent(ratio);
  return inexactly(env, y.sign, x.sign === 1 ? PI - within : within, -FRACTION);
}

// --- powers and logarithms of two ---

/** 2^a − 1 for |a| ≤ 1; beyond that the processors leave the result undefined. */
export function powerMinusOne(env: FloatEnvironment, a: Unpacked): Unpacked {
  env.roundedUp = false;
  if (!isNumber(a)) return propagateOne(env, a);
  if (a.kind === "infinity") return a.sign === 1 ? one(1) : a;
  if (a.denormal) env.flags |= DENORMAL;
  if (a.kind === "zero") return a;
  if (a.exponent >= 0) {
    env.flags |= INEXACT;
    return a.sign === 1 && a.exponent === 0 && a.significand === INTEGER_BIT ? finite(1, -1, INTEGER_BIT) : a;
  }
  if (a.exponent < TINY) return inexactly(env, a.sign, a.significand * LN2, a.exponent - 63 - FRACTION);
  return fromFixed(env, exponentialMinusOne((toFixed(a) * LN2) >> BigInt(FRACTION)));
}

/** y times a logarithm given as `log` × 2^(−FRACTION), not zero and inexact. */
function timesLogarithm(env: FloatEnvironment, y: Unpacked, log: bigint): Unpacked {
  const magnitude = log < 0n ? -log : log;
  return inexactly(env, y.sign ^ (log < 0n ? 1 : 0), magnitude * y.significand, y.exponent - 63 - FRACTION);
}

/** y × log where the logarithm's sign alone decides: one factor is zero or infinite. */
function signedProduct(
  env: FloatEnvironment,
  y: Unpacked,
  log: { kind: "zero" | "finite" | "infinity"; sign: number },
): Unpacked {
  const sign = y.sign ^ log.sign;
  if (y.kind === "infinity" || log.kind === "infinity") {
    return y.kind === "zero" || log.kind === "zero" ? invalid(env) : infinity(sign);
  }
  return zero(sign);
}

/** y × log₂ x: FYL2X with y in ST(1) and x in ST(0). */
export function timesLog2(env: FloatEnvironment, y: Unpacked, x: Unpacked): Unpacked {
  env.roundedUp = false;
  if (!isNumber(x) || !isNumber(y)) return propagate(env, x, y);
  if (x.kind !== "zero" && x.sign === 1) return invalid(env);
  if (x.kind === "zero" && y.kind === "finite") {
    env.flags |= ZERO_DIVIDE;
    return infinity(y.sign ^ 1);
  }
  if (x.kind === "zero") return signedProduct(env, y, { kind: "infinity", sign: 1 });
  if (x.kind === "infinity") {
    if (y.kind !== "zero") noteDenormals(env, x, y);
    return signedProduct(env, y, { kind: "infinity", sign: 0 });
  }
  const power = x.significand === INTEGER_BIT;
  if (y.kind !== "finite" || (power && x.exponent === 0)) {
    const log = power && x.exponent === 0 ? "zero" : "finite";
    if (y.kind !== "infinity" || log !== "zero") noteDenormals(env, x, y);
    return signedProduct(env, y, { kind: log, sign: x.exponent < 0 ? 1 : 0 });
  }
  noteDenormals(env, x, y);
  if (power) {
    const exponent = fromInteger(BigInt(x.exponent));
    const exact = exponent.significand * y.significand;
    const width = bitLength(exact);
    const sign = y.sign ^ exponent.sign;
    const result = round(env, extended80, sign, exponent.exponent + y.exponent - 127 + width, exact, width);
    env.flags |= result.exponent < extended80.minExponent ? INEXACT | UNDERFLOW : INEXACT;
    return result;
  }
  const up = x.significand > 0xb504f333f9de6484n ? 1 : 0;
  const mantissa = (x.significand << big(FRACTION - 63 - up)) - ONE;
  return timesLogarithm(env, y, BigInt(x.exponent + up) * ONE + quotient(logarithmOnePlus(mantissa), LN2));
}

/** y × log₂ x for a positive fixed-point x of any size. */
function timesWideLog2(env: FloatEnvironment, y: Unpacked, x: bigint): Unpacked {
  const exponent = bitLength(x) - 1 - FRACTION;
  const mantissa = exponent > 0 ? x >> big(exponent) : x << big(-exponent);
  const log = quotient(logarithmOnePlus(mantissa - ONE), LN2);
  return timesLogarithm(env, y, BigInt(exponent) * ONE + log);
}

/** y × log₂(x + 1): FYL2XP1, defined for |x| < 1 − √½. */
export function timesLog2OnePlus(env: FloatEnvironment, y: Unpacked, x: Unpacked): Unpacked {
  env.roundedUp = false;
  if (!isNumber(x) || !isNumber(y)) return propagate(env, x, y);
  if (x.kind === "infinity" && x.sign === 1) return invalid(env);
  if (x.kind !== "finite" || y.kind !== "finite") {
    const possible = !(x.kind === "infinity" && y.kind === "zero") && !(x.kind === "zero" && y.kind === "infinity");
    if (possible) noteDenormals(env, x, y);
    return signedProduct(env, y, { kind: x.kind as "zero" | "finite" | "infinity", sign: x.sign });
  }
  noteDenormals(env, x, y);
  if (x.exponent < TINY) {
    const log = quotient(x.significand << BigInt(FRACTION), LN2);
    return inexactly(env, x.sign ^ y.sign, log * y.significand, x.exponent + y.exponent - 126 - FRACTION);
  }
  if (x.sign === 1 && x.exponent >= 0) {
    env.flags |= INEXACT;
    return x;
  }
  if (x.exponent >= -1) return timesWideLog2(env, y, toFixed(x) + ONE);
  return timesLogarithm(env, y, quotient(logarithmOnePlus(toFixed(x)), LN2));
}
