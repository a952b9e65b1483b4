/**
 * What an operation is told (rounding, masks, NaN rule) and what it tells (exception flags, whether it rounded up).
 * Always:
 * - Exception bits have the order shared by the x87 status word and MXCSR: I D Z O U P from bit 0 (SDM vol. 1, 8.1.3, 10.2.3).
 * - Operations only set bits of `flags`; the caller clears them.
 * - `masks` has a bit set for every masked exception; it matters only for overflow and underflow, whose results differ.
 */

export const INVALID = 1;
export const DENORMAL = 2;
export const ZERO_DIVIDE = 4;
export const OVERFLOW = 8;
export const UNDERFLOW = 16;
export const INEXACT = 32;
/** Found on the operands, before anything is computed. When one of these is unmasked no result exists. */
export const BEFORE_COMPUTATION = INVALID | DENORMAL | ZERO_DIVIDE;
export const ALL_EXCEPTIONS = 0x3f;

/** The RC field of the x87 control word and of MXCSR. */
export const NEAREST = 0;
export const DOWN = 1;
export const UP = 2;
export const TOWARD_ZERO = 3;

/** Which of two NaN operands survives (SDM vol. 1, table 4-7). */
export type NanRule = "x87" | "sse";

export interface FloatEnvironment {
  rounding: number;
  masks: number;
  nanRule: NanRule;
  /** SSE only: tiny results become zero while underflow is masked. */
  flushToZero: boolean;
  /** SSE only: denormal operands count as zero. */
  denormalsAreZero: boolean;
  flags: number;
  /** The last rounding increased the magnitude: C1 of the x87. */
  roundedUp: boolean;
}

export const createEnvironment = (nanRule: NanRule): FloatEnvironment => ({
  rounding: NEAREST,
  masks: ALL_EXCEPTIONS,
  nanRule,
  flushToZero: false,
  denormalsAreZero: false,
  flags: 0,
  roundedUp: false,
});
