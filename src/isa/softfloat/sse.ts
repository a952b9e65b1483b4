/**
 * Scalar SSE arithmetic on raw bits under an MXCSR (SDM vol. 1, 10.2.3, 11.5; vol. 2, the instruction pages). Always:
 * - `flags` holds only what this operation raised, in MXCSR's low six bits; the caller adds them to MXCSR.
 * - When `flags` meets an unmasked exception the bits are not to be stored.
 * - When an unmasked exception is found on the operands, nothing was computed and no later flag is raised.
 */
import { add, type Binary, divide, multiply, squareRoot, subtract } from "./arithmetic.ts";
import { compare, type Ordering } from "./compare.ts";
import {
  ALL_EXCEPTIONS,
  BEFORE_COMPUTATION,
  createEnvironment,
  DENORMAL,
  type FloatEnvironment,
  TOWARD_ZERO,
  UNDERFLOW,
} from "./environment.ts";
import {
  binary16,
  binary32,
  binary64,
  type Format,
  pack16,
  pack32,
  pack64,
  unpack16,
  unpack32,
  unpack64,
} from "./formats.ts";
import { fusedMultiplyAdd } from "./fused.ts";
import { fromInteger, toInteger, toIntegral } from "./integer.ts";
import { isNumber, propagateOne } from "./nan.ts";
import { roundUnpacked } from "./round.ts";
import { type Unpacked, zero } from "./unpacked.ts";

export interface FloatResult {
  readonly bits: bigint;
  readonly flags: number;
}

export type SseFormat = "binary32" | "binary64";

interface Codec {
  readonly format: Format;
  readonly unpack: (bits: bigint) => Unpacked;
  readonly pack: (a: Unpacked) => bigint;
}

const codecs: Record<SseFormat, Codec> = {
  binary32: { format: binary32, unpack: (bits) => unpack32(Number(bits) | 0), pack: (a) => BigInt(pack32(a)) },
  binary64: { format: binary64, unpack: unpack64, pack: pack64 },
};

const MXCSR_DENORMALS_ARE_ZERO = 0x40;
const MXCSR_FLUSH_TO_ZERO = 0x8000;
export const MXCSR_DEFAULT = 0x1f80;

/** Reused: operations do not nest. */
const env: FloatEnvironment = createEnvironment("sse");

function begin(mxcsr: number): void {
  env.flags = 0;
  env.masks = (mxcsr >>> 7) & ALL_EXCEPTIONS;
  env.rounding = (mxcsr >>> 13) & 3;
  env.denormalsAreZero = (mxcsr & MXCSR_DENORMALS_ARE_ZERO) !== 0;
  env.flushToZero = (mxcsr & MXCSR_FLUSH_TO_ZERO) !== 0 && (env.masks & UNDERFLOW) !== 0;
}

/** The flags an operation leaves: those found on the operands alone when one of them is unmasked. */
export const raisedFlags = (flags: number, masks: number): number =>
  flags & BEFORE_COMPUTATION & ~masks ? flags & BEFORE_COMPUTATION : flags;

/** The flags of a packed operation from those of its lanes. */
export const combineLanes = (flags: readonly number[], mxcsr: number): number =>
  raisedFlags(
    flags.reduce((all, one) => all | one, 0),
    (mxcsr >>> 7) & ALL_EXCEPTIONS,
  );

const end = (bits: bigint): FloatResult => ({ bits, flags: raisedFlags(env.flags, env.masks) });

function operand(codec: Codec, bits: bigint): Unpacked {
  const a = codec.unpack(bits);
  return a.denormal && env.denormalsAreZero ? zero(a.sign) : a;
}

type SseBinary = (format: SseFormat, a: bigint, b: bigint, mxcsr: number) => FloatResult;

const arithmetic =
  (operation: Binary): SseBinary =>
  (format, a, b, mxcsr) => {
    const codec = codecs[format];
    begin(mxcsr);
    return end(codec.pack(operation(env, codec.format, operand(codec, a), operand(codec, b))));
  };

export const sseAdd = arithmetic(add);
export const sseSubtract = arithmetic(subtract);
export const sseMultiply = arithmetic(multiply);
export const sseDivide = arithmetic(divide);

/** VFMADD and its kin: a × b + c. */
export function sseFused(format: SseFormat, a: bigint, b: bigint, c: bigint, mxcsr: number): FloatResult {
  const codec = codecs[format];
  begin(mxcsr);
  const [left, right, addend] = [a, b, c].map((bits) => operand(codec, bits));
  return end(codec.pack(fusedMultiplyAdd(env, codec.format, left!, right!, addend!)));
}

/** VCVTPH2PS: exact, and a denormal half is a number like any other. */
export function sseFromHalf(a: bigint, mxcsr: number): FloatResult {
  begin(mxcsr);
  const value = unpack16(Number(a));
  return end(codecs.binary32.pack(isNumber(value) ? value : propagateOne(env, value)));
}

/** VCVTPS2PH: denormal halves are never flushed to zero; `control` as ROUNDPS has it. */
export function sseToHalf(a: bigint, control: number, mxcsr: number): FloatResult {
  begin(mxcsr);
  env.flushToZero = false;
  if (!(control & 4)) env.rounding = control & 3;
  const value = operand(codecs.binary32, a);
  if (!isNumber(value)) return end(BigInt(pack16(propagateOne(env, value))));
  if (value.denormal) env.flags |= DENORMAL;
  return end(BigInt(pack16(roundUnpacked(env, binary16, value))));
}

export function sseSquareRoot(format: SseFormat, a: bigint, mxcsr: number): FloatResult {
  const codec = codecs[format];
  begin(mxcsr);
  return end(codec.pack(squareRoot(env, codec.format, operand(codec, a))));
}

/** MIN and MAX return the second operand unless the first is strictly the one wanted. */
const selection =
  (wanted: Ordering): SseBinary =>
  (format, a, b, mxcsr) => {
    const codec = codecs[format];
    begin(mxcsr);
    const first = operand(codec, a);
    const second = operand(codec, b);
    const chosen = compare(env, first, second, true) === wanted ? first : second;
    return end(codec.pack(chosen));
  };

export const sseMinimum = selection("less");
export const sseMaximum = selection("greater");

/** COMIS (`quietIsInvalid`) and UCOMIS. */
export function sseOrder(
  format: SseFormat,
  a: bigint,
  b: bigint,
  quietIsInvalid: boolean,
  mxcsr: number,
): { readonly order: Ordering; readonly flags: number } {
  const codec = codecs[format];
  begin(mxcsr);
  const order = compare(env, operand(codec, a), operand(codec, b), quietIsInvalid);
  return { order, flags: end(0n).flags };
}

/**
 * The predicates of CMPPS and its kin: which orderings hold, and whether a quiet NaN is invalid. VEX forms have sixteen, and
 * sixteen more that differ only in the latter (SDM vol. 2, table 3-1).
 */
// biome-ignore format: columns stay aligned
const predicates: readonly (readonly [holds: readonly Ordering[], quietIsInvalid: boolean])[] = [
  /* eq    */ [["equal"],                          false],
  /* lt    */ [["less"],                           true],
  /* le    */ [["less", "equal"],                  true],
  /* unord */ [["unordered"],                      false],
  /* neq   */ [["less", "greater", "unordered"],   false],
  /* nlt   */ [["equal", "greater", "unordered"],  true],
  /* nle   */ [["greater", "unordered"],           true],
  /* ord   */ [["less", "equal", "greater"],       false],
  /* eq_uq */ [["equal", "unordered"],             false],
  /* nge   */ [["less", "unordered"],              true],
  /* ngt   */ [["less", "equal", "unordered"],     true],
  /* false */ [[],                                 false],
  /* neqoq */ [["less", "greater"],                false],
  /* ge    */ [["equal", "greater"],               true],
  /* gt    */ [["greater"],                        true],
  /* true  */ [["less", "equal", "greater", "unordered"], false],
];

/** All ones where the predicate (0 to 31) holds, else zero, in the format's width. */
export function sseCompare(format: SseFormat, a: bigint, b: bigint, predicate: number, mxcsr: number): FloatResult {
  const [holds, quietIsInvalid] = predicates[predicate & 15] as (typeof predicates)[number];
  const { order, flags } = sseOrder(format, a, b, quietIsInvalid !== predicate > 15, mxcsr);
  const ones = format === "binary32" ? 0xffffffffn : 0xffffffffffffffffn;
  return { bits: holds.includes(order) ? ones : 0n, flags };
}

/** CVTSS2SD and CVTSD2SS. */
export function sseConvert(from: SseFormat, to: SseFormat, a: bigint, mxcsr: number): FloatResult {
  begin(mxcsr);
  const value = operand(codecs[from], a);
  if (!isNumber(value)) return end(codecs[to].pack(propagateOne(env, value)));
  if (value.denormal) env.flags |= DENORMAL;
  return end(codecs[to].pack(roundUnpacked(env, codecs[to].format, value)));
}

/** CVTSI2SS and its kin: `a` is a signed whole number. */
export function sseFromInteger(to: SseFormat, a: bigint, mxcsr: number): FloatResult {
  begin(mxcsr);
  return end(codecs[to].pack(roundUnpacked(env, codecs[to].format, fromInteger(a))));
}

/** CVTSS2SI and its kin, and with `truncate` CVTTSS2SI: an unsigned pattern of `width` bits. */
export function sseToInteger(
  from: SseFormat,
  a: bigint,
  width: 32 | 64,
  truncate: boolean,
  mxcsr: number,
): FloatResult {
  begin(mxcsr);
  return end(toInteger(env, operand(codecs[from], a), width, truncate ? TOWARD_ZERO : env.rounding));
}

/** ROUNDSS and its kin: bits 0-1 of `control` are a rounding mode, bit 2 says to use MXCSR's, bit 3 silences inexact. */
export function sseRound(format: SseFormat, a: bigint, control: number, mxcsr: number): FloatResult {
  const codec = codecs[format];
  begin(mxcsr);
  const rounding = control & 4 ? env.rounding : control & 3;
  return end(codec.pack(toIntegral(env, operand(codec, a), rounding, (control & 8) !== 0)));
}
