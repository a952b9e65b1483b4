/**
 * Elements made narrower (with saturation) or wider. SDM vol. 2: PACKSSWB, PACKUSWB, PACKSSDW, PACKUSDW, PMOVSX,
 * PMOVZX. WebAssembly's narrowing also takes its input as signed in the unsigned forms.
 */
import type { NumericName } from "../../../wasm/index.ts";
import type { Lift } from "../../builder.ts";
import { joinHalves, packed, packedUnary } from "./operands.ts";

const pack = (name: NumericName): Lift =>
  packed((b, left, right, form) => {
    if (form === "xmm") return b.op(name, left, right);
    const both = joinHalves(b, left, right);
    return b.op(name, both, both);
  });

/** One or more doublings of the lower elements. */
const extend = (...steps: readonly NumericName[]): Lift =>
  packedUnary((b, source) => steps.reduce((value, step) => b.op(step, value), source));

const bytes = { s: "i16x8.extend_low_i8x16_s", u: "i16x8.extend_low_i8x16_u" } as const;
const words = { s: "i32x4.extend_low_i16x8_s", u: "i32x4.extend_low_i16x8_u" } as const;
const doublewords = { s: "i64x2.extend_low_i32x4_s", u: "i64x2.extend_low_i32x4_u" } as const;

export const widthSemantics = {
  packsswb: pack("i8x16.narrow_i16x8_s"),
  packuswb: pack("i8x16.narrow_i16x8_u"),
  packssdw: pack("i16x8.narrow_i32x4_s"),
  packusdw: pack("i16x8.narrow_i32x4_u"),
  pmovsxbw: extend(bytes.s),
  pmovsxbd: extend(bytes.s, words.s),
  pmovsxbq: extend(bytes.s, words.s, doublewords.s),
  pmovsxwd: extend(words.s),
  pmovsxwq: extend(words.s, doublewords.s),
  pmovsxdq: extend(doublewords.s),
  pmovzxbw: extend(bytes.u),
  pmovzxbd: extend(bytes.u, words.u),
  pmovzxbq: extend(bytes.u, words.u, doublewords.u),
  pmovzxwd: extend(words.u),
  pmovzxwq: extend(words.u, doublewords.u),
  pmovzxdq: extend(doublewords.u),
} satisfies Record<string, Lift>;
