/**
 * String comparison of SSE4.2 (SDM vol. 2, 4.1): PCMPESTRI, PCMPESTRM, PCMPISTRI, PCMPISTRM. The macro gives IntRes2,
 * a bit per element of the second string; flags and results follow from it and the lengths.
 */
import { gprs, type Value, xmms } from "../../../ir/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { immediate, onlyLow } from "./operands.ts";

const elementCount = (control: number): number => (control & 1 ? 8 : 16);

/** The magnitude of RAX or RDX (EAX, EDX), at most the number of elements. */
function givenLength(b: Builder, register: number, wide: boolean, control: number): Value {
  const whole = b.get(gprs[register]!);
  const value = wide ? whole : b.op("i64.extend_i32_s", b.op("i32.wrap_i64", whole));
  const sign = b.op("i64.shr_s", value, b.i64(63));
  const magnitude = b.op("i64.sub", b.op("i64.xor", value, sign), sign);
  const count = elementCount(control);
  return b.select(b.op("i64.lt_u", magnitude, b.i64(count)), b.op("i32.wrap_i64", magnitude), b.i32(count));
}

interface Lengths {
  readonly first: Value;
  readonly second: Value;
}
type FindLengths = (b: Builder, left: Value, right: Value, control: number) => Lengths;

const explicit =
  (wide: boolean): FindLengths =>
  (b, _left, _right, control) => ({
    first: givenLength(b, 0, wide, control),
    second: givenLength(b, 2, wide, control),
  });
const implicit: FindLengths = (b, left, right, control) => ({
  first: b.op("x86.string.length", left, b.i32(control)),
  second: b.op("x86.string.length", right, b.i32(control)),
});

/** CF: any bit; ZF, SF: the second, first string ends within its register; OF: bit 0. */
function setFlags(b: Builder, { first, second }: Lengths, result: Value, count: number): void {
  const at = (bit: Value, position: number) => b.op("i32.shl", bit, b.i32(position));
  const carry = b.op("i32.ne", result, b.i32(0));
  const zero = at(b.op("i32.lt_u", second, b.i32(count)), 6);
  const sign = at(b.op("i32.lt_u", first, b.i32(count)), 7);
  const overflow = at(b.op("i32.and", result, b.i32(1)), 11);
  b.setRawFlags(b.op("i32.or", b.op("i32.or", carry, zero), b.op("i32.or", sign, overflow)));
}

/** Bit 6: the highest set bit rather than the lowest; none gives the number of elements. */
function index(b: Builder, result: Value, control: number, count: number): Value {
  const highest = b.op("i32.sub", b.i32(31), b.op("i32.clz", result));
  const found = control & 0x40 ? highest : b.op("i32.ctz", result);
  return b.select(result, found, b.i32(count));
}

/** Bit 6: a mask of whole elements rather than of bits. */
function mask(b: Builder, result: Value, control: number): Value {
  if (!(control & 0x40)) return onlyLow(b, "i32", result);
  if (control & 1) {
    const bits = b.v128(0x0080_0040_0020_0010_0008_0004_0002_0001n);
    return b.op("i16x8.eq", b.op("v128.and", b.op("i16x8.splat", result), bits), bits);
  }
  const bits = b.v128(0x8040201008040201_8040201008040201n);
  const spread = b.shuffle(onlyLow(b, "i32", result), b.v128(0n), [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  return b.op("i8x16.eq", b.op("v128.and", spread, bits), bits);
}

const compare =
  (findLengths: FindLengths, answer: "index" | "mask"): Lift =>
  (b, { operands: [first, second, imm] }) => {
    const control = immediate(imm);
    const count = elementCount(control);
    const left = b.readVector(first!);
    const right = b.readVector(second!, false);
    const lengths = findLengths(b, left, right, control);
    const result = b.op("x86.string.compare", left, right, lengths.first, lengths.second, b.i32(control));
    if (answer === "mask") b.put(xmms[0]!, mask(b, result, control));
    else b.put(gprs[1]!, b.op("i64.extend_i32_u", index(b, result, control, count)));
    setFlags(b, lengths, result, count);
  };

export const stringSemantics = {
  pcmpestri: compare(explicit(false), "index"),
  pcmpestri64: compare(explicit(true), "index"),
  pcmpestrm: compare(explicit(false), "mask"),
  pcmpestrm64: compare(explicit(true), "mask"),
  pcmpistri: compare(implicit, "index"),
  pcmpistrm: compare(implicit, "mask"),
} satisfies Record<string, Lift>;
