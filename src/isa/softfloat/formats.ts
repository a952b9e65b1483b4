/**
 * The storage formats and the x87's rounding precisions: how bits become `Unpacked` and back
 * (SDM vol. 1, 4.2.2 and 8.2). Unpacking never raises a flag; packing expects a value already rounded to the format.
 */
import { big, bitLength } from "./bits.ts";
import { finite, INTEGER_BIT, infinity, nan, UNSUPPORTED, type Unpacked, zero } from "./unpacked.ts";

/** What rounding needs to know. */
export interface Format {
  readonly precision: number;
  readonly minExponent: number;
  readonly maxExponent: number;
  /**
   * Added to or taken from the exponent of a result whose underflow or overflow is unmasked (SDM vol. 1, 8.5.4, 8.5.5).
   * Undefined for the formats in memory and SSE registers, where no such result is ever stored.
   */
  readonly wrap: number | undefined;
}

/** Half precision, which is only ever converted (F16C). */
export const binary16: Format = { precision: 11, minExponent: -14, maxExponent: 15, wrap: undefined };
export const binary32: Format = { precision: 24, minExponent: -126, maxExponent: 127, wrap: undefined };
export const binary64: Format = { precision: 53, minExponent: -1022, maxExponent: 1023, wrap: undefined };
export const extended80: Format = { precision: 64, minExponent: -16382, maxExponent: 16383, wrap: 24576 };
/** Results rounded short in an 80-bit register: precision control narrows the significand, not the exponent. */
export const extended80As53: Format = { ...extended80, precision: 53 };
export const extended80As24: Format = { ...extended80, precision: 24 };

/** The format of results under each value of the PC field; 1 is reserved and acts as 64 bits. */
export const precisionControl: readonly Format[] = [extended80As24, extended80, extended80As53, extended80];

function normalized(sign: number, exponent: number, significand: bigint): Unpacked {
  const missing = 64 - bitLength(significand);
  return finite(sign, exponent - missing, significand << big(missing), true);
}

export function unpack16(bits: number): Unpacked {
  const sign = bits >>> 15;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = BigInt(bits & 0x3ff) << 53n;
  if (exponent === 0x1f) return fraction === 0n ? infinity(sign) : nan(sign, INTEGER_BIT | fraction);
  if (exponent !== 0) return finite(sign, exponent - 15, INTEGER_BIT | fraction);
  return fraction === 0n ? zero(sign) : normalized(sign, -14, fraction);
}

export function unpack32(bits: number): Unpacked {
  const sign = bits >>> 31;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0xff) return fraction === 0 ? infinity(sign) : nan(sign, INTEGER_BIT | (BigInt(fraction) << 40n));
  if (exponent !== 0) return finite(sign, exponent - 127, BigInt(fraction | 0x800000) << 40n);
  return fraction === 0 ? zero(sign) : normalized(sign, -126, BigInt(fraction) << 40n);
}

const FRACTION64 = (1n << 52n) - 1n;

export function unpack64(bits: bigint): Unpacked {
  const high = Number(bits >> 52n);
  const sign = (high >>> 11) & 1;
  const exponent = high & 0x7ff;
  const fraction = (bits & FRACTION64) << 11n;
  if (exponent === 0x7ff) return fraction === 0n ? infinity(sign) : nan(sign, INTEGER_BIT | fraction);
  if (exponent !== 0) return finite(sign, exponent - 1023, INTEGER_BIT | fraction);
  return fraction === 0n ? zero(sign) : normalized(sign, -1022, fraction);
}

/** From an 80-bit register: 64 bits of significand, 16 of sign and exponent. */
export function unpack80(significand: bigint, signExponent: number): Unpacked {
  const sign = (signExponent >>> 15) & 1;
  const exponent = signExponent & 0x7fff;
  if (exponent === 0) return significand === 0n ? zero(sign) : normalized(sign, -16382, significand);
  if (significand < INTEGER_BIT) return UNSUPPORTED;
  if (exponent !== 0x7fff) return finite(sign, exponent - 16383, significand);
  return significand === INTEGER_BIT ? infinity(sign) : nan(sign, significand);
}

export function pack16(a: Unpacked): number {
  const sign = a.sign << 15;
  if (a.kind === "zero") return sign;
  const fraction = Number(a.significand >> 53n);
  if (a.kind !== "finite") return sign | 0x7c00 | (fraction & 0x3ff);
  if (a.exponent < -14) return sign | (fraction >>> (-14 - a.exponent));
  return sign | ((a.exponent + 15) << 10) | (fraction & 0x3ff);
}

export function pack32(a: Unpacked): number {
  const sign = a.sign << 31;
  if (a.kind === "zero") return sign >>> 0;
  if (a.kind !== "finite") return (sign | 0x7f800000 | (Number(a.significand >> 40n) & 0x7fffff)) >>> 0;
  const fraction = Number(a.significand >> 40n);
  if (a.exponent < -126) return (sign | (fraction >>> (-126 - a.exponent))) >>> 0;
  return (sign | ((a.exponent + 127) << 23) | (fraction & 0x7fffff)) >>> 0;
}

export function pack64(a: Unpacked): bigint {
  const sign = a.sign === 0 ? 0n : INTEGER_BIT;
  if (a.kind === "zero") return sign;
  if (a.kind !== "finite") return sign | 0x7ff0000000000000n | ((a.significand >> 11n) & FRACTION64);
  if (a.exponent < -1022) return sign | (a.significand >> big(11 - 1022 - a.exponent));
  return sign | (BigInt(a.exponent + 1023) << 52n) | ((a.significand >> 11n) & FRACTION64);
}

/** The 64 bits of significand of an 80-bit register; `packSignExponent80` gives the other 16. */
export const packSignificand80 = (a: Unpacked): bigint =>
  a.kind === "finite" && a.exponent < -16382 ? a.significand >> big(-16382 - a.exponent) : a.significand;

export function packSignExponent80(a: Unpacked): number {
  const sign = a.sign << 15;
  if (a.kind === "zero") return sign;
  if (a.kind !== "finite") return sign | 0x7fff;
  return a.exponent < -16382 ? sign : sign | (a.exponent + 16383);
}
