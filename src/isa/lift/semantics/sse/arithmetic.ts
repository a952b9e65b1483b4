/**
 * Packed integer arithmetic, element by element. SDM vol. 2: PADDB … PXOR's neighbours; most are one WebAssembly
 * instruction with the same lanes.
 */
import type { Value } from "../../../ir/index.ts";
import type { NumericName } from "../../../wasm/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { packed, packedUnary, shuffleElements, splat } from "./operands.ts";

const direct = (name: NumericName): Lift => packed((b, left, right) => b.op(name, left, right));
const directUnary = (name: NumericName): Lift => packedUnary((b, source) => b.op(name, source));

/** A register compared with itself is the usual way to set all its bits. */
const equal = (name: NumericName): Lift =>
  packed((b, left, right) => (left === right ? b.v128((1n << 128n) - 1n) : b.op(name, left, right)));
const subtract = (name: NumericName): Lift =>
  packed((b, left, right) => (left === right ? b.v128(0n) : b.op(name, left, right)));

/** Negative elements of the source negate, zeros clear. */
const sign = (type: "i8x16" | "i16x8" | "i32x4"): Lift =>
  packed((b, left, right) => {
    const zero = b.v128(0n);
    const negative = b.op(`${type}.lt_s`, right, zero);
    const negated = b.op(`${type}.sub`, b.op("v128.xor", left, negative), negative);
    return b.op("v128.andnot", negated, b.op(`${type}.eq`, right, zero));
  });

// ── Products ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The odd words of both vectors of products: the upper halves. */
const upperHalves = [1, 3, 5, 7, 9, 11, 13, 15];
const highProduct = (suffix: "s" | "u"): Lift =>
  packed((b, left, right) => {
    const lowProducts = b.op(`i32x4.extmul_low_i16x8_${suffix}`, left, right);
    const highProducts = b.op(`i32x4.extmul_high_i16x8_${suffix}`, left, right);
    return shuffleElements(b, 2, lowProducts, highProducts, upperHalves);
  });

/** The even 32-bit elements multiplied to 64 bits. */
const wideProduct = (suffix: "s" | "u"): Lift =>
  packed((b, left, right) => {
    const evens = (value: Value) => shuffleElements(b, 4, value, value, [0, 2, 0, 2]);
    return b.op(`i64x2.extmul_low_i32x4_${suffix}`, evens(left), evens(right));
  });

/** WebAssembly saturates −1 × −1 to just below 1; the instruction lets it wrap to −1. */
const pmulhrsw = packed((b, left, right) => {
  const lowest = b.v128(splat(16, 0x8000n));
  const both = b.op("v128.and", b.op("i16x8.eq", left, lowest), b.op("i16x8.eq", right, lowest));
  return b.op("v128.xor", b.op("i16x8.q15mulr_sat_s", left, right), both);
});

/** Unsigned bytes times signed bytes; each product fits a word, the sum of a pair saturates. */
const pmaddubsw = packed((b, left, right) => {
  const eight = b.i32(8);
  const evenLeft = b.op("v128.and", left, b.v128(splat(16, 0xffn)));
  const evenRight = b.op("i16x8.shr_s", b.op("i16x8.shl", right, eight), eight);
  const odd = b.op("i16x8.mul", b.op("i16x8.shr_u", left, eight), b.op("i16x8.shr_s", right, eight));
  return b.op("i16x8.add_sat_s", b.op("i16x8.mul", evenLeft, evenRight), odd);
});

// ── Sums of differences ───────────────────────────────────────────────────────────────────────────────────────────

export const absoluteDifference = (b: Builder, left: Value, right: Value): Value =>
  b.op("v128.or", b.op("i8x16.sub_sat_u", left, right), b.op("i8x16.sub_sat_u", right, left));

const psadbw = packed((b, left, right) => {
  const words = b.op("i16x8.extadd_pairwise_i8x16_u", absoluteDifference(b, left, right));
  const doublewords = b.op("i32x4.extadd_pairwise_i16x8_u", words);
  const upper = b.op("i64x2.shr_u", doublewords, b.i32(32));
  return b.op("i64x2.add", b.op("v128.and", doublewords, b.v128(splat(64, 0xffff_ffffn))), upper);
});

// biome-ignore format: columns stay aligned
export const arithmeticSemantics = {
  paddb: direct("i8x16.add"),         paddw: direct("i16x8.add"),
  paddd: direct("i32x4.add"),         paddq: direct("i64x2.add"),
  psubb: subtract("i8x16.sub"),       psubw: subtract("i16x8.sub"),
  psubd: subtract("i32x4.sub"),       psubq: subtract("i64x2.sub"),
  paddsb: direct("i8x16.add_sat_s"),  paddsw: direct("i16x8.add_sat_s"),
  paddusb: direct("i8x16.add_sat_u"), paddusw: direct("i16x8.add_sat_u"),
  psubsb: direct("i8x16.sub_sat_s"),  psubsw: direct("i16x8.sub_sat_s"),
  psubusb: direct("i8x16.sub_sat_u"), psubusw: direct("i16x8.sub_sat_u"),
  pavgb: direct("i8x16.avgr_u"),      pavgw: direct("i16x8.avgr_u"),
  pminub: direct("i8x16.min_u"),      pmaxub: direct("i8x16.max_u"),
  pminsb: direct("i8x16.min_s"),      pmaxsb: direct("i8x16.max_s"),
  pminuw: direct("i16x8.min_u"),      pmaxuw: direct("i16x8.max_u"),
  pminsw: direct("i16x8.min_s"),      pmaxsw: direct("i16x8.max_s"),
  pminud: direct("i32x4.min_u"),      pmaxud: direct("i32x4.max_u"),
  pminsd: direct("i32x4.min_s"),      pmaxsd: direct("i32x4.max_s"),
  pcmpeqb: equal("i8x16.eq"),         pcmpgtb: direct("i8x16.gt_s"),
  pcmpeqw: equal("i16x8.eq"),         pcmpgtw: direct("i16x8.gt_s"),
  pcmpeqd: equal("i32x4.eq"),         pcmpgtd: direct("i32x4.gt_s"),
  pcmpeqq: equal("i64x2.eq"),         pcmpgtq: direct("i64x2.gt_s"),
  pabsb: directUnary("i8x16.abs"),    psignb: sign("i8x16"),
  pabsw: directUnary("i16x8.abs"),    psignw: sign("i16x8"),
  pabsd: directUnary("i32x4.abs"),    psignd: sign("i32x4"),
  pmullw: direct("i16x8.mul"),        pmulld: direct("i32x4.mul"),
  pmulhw: highProduct("s"),           pmulhuw: highProduct("u"),
  pmuldq: wideProduct("s"),           pmuludq: wideProduct("u"),
  pmaddwd: direct("i32x4.dot_i16x8_s"),
  pmulhrsw, pmaddubsw, psadbw,
} satisfies Record<string, Lift>;
