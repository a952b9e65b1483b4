/**
 * Numbers as plain data, the same shape for every format. Always:
 * - "finite" means ± significand × 2^(exponent − 63) with 2^63 ≤ significand < 2^64, denormals included.
 * - A NaN's significand has its integer bit (63) set, the quiet bit is bit 62 and the payload is left-aligned.
 * - "unsupported" is an 80-bit pattern the x87 refuses: unnormal, pseudo-infinity, pseudo-NaN (SDM vol. 1, 8.2.2).
 */

export type Kind = "zero" | "finite" | "infinity" | "quiet" | "signaling" | "unsupported";

export interface Unpacked {
  readonly kind: Kind;
  /** 1 for negative. */
  readonly sign: number;
  readonly exponent: number;
  readonly significand: bigint;
  /** The operand was stored with the lowest exponent: using it sets the denormal flag. */
  readonly denormal: boolean;
}

export const INTEGER_BIT = 1n << 63n;
export const QUIET_BIT = 1n << 62n;

export const finite = (sign: number, exponent: number, significand: bigint, denormal = false): Unpacked => ({
  kind: "finite",
  sign,
  exponent,
  significand,
  denormal,
});

const special = (kind: Kind, sign: number, significand: bigint): Unpacked => ({
  kind,
  sign,
  exponent: 0,
  significand,
  denormal: false,
});

const zeros = [special("zero", 0, 0n), special("zero", 1, 0n)] as const;
const infinities = [special("infinity", 0, INTEGER_BIT), special("infinity", 1, INTEGER_BIT)] as const;

export const zero = (sign: number): Unpacked => (sign === 0 ? zeros[0] : zeros[1]);
export const infinity = (sign: number): Unpacked => (sign === 0 ? infinities[0] : infinities[1]);
export const nan = (sign: number, significand: bigint): Unpacked =>
  special(significand & QUIET_BIT ? "quiet" : "signaling", sign, significand);

/** The answer of every masked invalid operation: "QNaN floating-point indefinite". */
export const DEFAULT_NAN = nan(1, INTEGER_BIT | QUIET_BIT);
export const UNSUPPORTED = special("unsupported", 0, 0n);

export const isNan = (a: Unpacked): boolean => a.kind === "quiet" || a.kind === "signaling";
export const quieted = (a: Unpacked): Unpacked =>
  a.kind === "quiet" ? a : special("quiet", a.sign, a.significand | QUIET_BIT);
/** The same number with another sign. */
export const withSign = (a: Unpacked, sign: number): Unpacked => (a.sign === sign ? a : { ...a, sign });
