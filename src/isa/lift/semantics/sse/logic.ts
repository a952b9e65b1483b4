/** Bitwise operations, PTEST and blends. SDM vol. 2: PAND … PXOR, ANDPS …, PTEST, BLENDPS, BLENDVPS, PBLENDVB. */
import { type Value, xmms } from "../../../ir/index.ts";
import type { NumericName } from "../../../wasm/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { type Compute, packed, packedControlled, shuffleElements } from "./operands.ts";

const and = packed((b, left, right) => b.op("v128.and", left, right));
const or = packed((b, left, right) => b.op("v128.or", left, right));
const andNot = packed((b, left, right) => b.op("v128.andnot", right, left));
/** A register combined with itself is the usual way to clear it. */
const exclusiveOr: Compute = (b, left, right) => (left === right ? b.v128(0n) : b.op("v128.xor", left, right));

/** ZF: no bit in common; CF: no bit of the source outside the destination. */
const ptest: Lift = (b, { operands: [destination, source] }) => {
  const left = b.readVector(destination!);
  const right = b.readVector(source!);
  const none = (value: Value) => b.op("i32.eqz", b.op("v128.any_true", value));
  const zero = b.op("i32.shl", none(b.op("v128.and", left, right)), b.i32(6));
  b.setRawFlags(b.op("i32.or", zero, none(b.op("v128.andnot", right, left))));
};

/** A bit of the immediate per element: 1 takes the source's. */
const blend = (size: number): Lift =>
  packedControlled((b, left, right, control) => {
    const count = 16 / size;
    const elements = Array.from({ length: count }, (_, i) => ((control >> i) & 1 ? count + i : i));
    return shuffleElements(b, size, left, right, elements);
  });

/** The top bit of each element of a mask decides: that of XMM0, or of an operand that VEX forms have. */
const blendByMask =
  (shift: NumericName, bits: number): Lift =>
  (b: Builder, { operands: [destination, source, chosen] }) => {
    const mask = b.op(shift, chosen ? b.readVector(chosen) : b.get(xmms[0]!), b.i32(bits - 1));
    const right = b.readVector(source!);
    b.writeVector(destination!, b.op("v128.bitselect", right, b.readVector(destination!), mask));
  };

export const logicSemantics = {
  pand: and,
  andps: and,
  andpd: and,
  por: or,
  orps: or,
  orpd: or,
  pandn: andNot,
  andnps: andNot,
  andnpd: andNot,
  pxor: packed(exclusiveOr),
  xorps: packed(exclusiveOr),
  xorpd: packed(exclusiveOr),
  ptest,
  blendps: blend(4),
  blendpd: blend(8),
  pblendw: blend(2),
  blendvps: blendByMask("i32x4.shr_s", 32),
  blendvpd: blendByMask("i64x2.shr_s", 64),
  pblendvb: blendByMask("i8x16.shr_s", 8),
} satisfies Record<string, Lift>;
