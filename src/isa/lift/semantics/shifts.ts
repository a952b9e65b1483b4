/**
 * Shifts. The count is taken modulo 32 (64 for 64-bit operands); a count of 0 changes no flag. SDM vol. 2: SAL/SAR/SHL/SHR,
 * SHLD, SHRD. Flags are noted with value, count and result (isa/ir/flags.ts); OF is defined only for a count of 1.
 */
import { eflagsBit, type Value, type Width } from "../../ir/index.ts";
import type { Operand } from "../../x86/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { asWidth, atBit, lowWord } from "./operands.ts";

/** The masked count as an i32. */
export const maskedCount = (b: Builder, width: Width, count: Operand): Value =>
  b.op("i32.and", b.read(count, 8), b.i32(width === 64 ? 63 : 31));

const shifted = {
  shl: (b: Builder, width: Width, value: Value, count: Value) => b.narrow(width, b.int(width, "shl", value, count)),
  shr: (b: Builder, width: Width, value: Value, count: Value) => b.int(width, "shr_u", value, count),
  sar: (b: Builder, width: Width, value: Value, count: Value) =>
    b.narrow(width, b.int(width, "shr_s", b.signed(width, value), count)),
};

/** Shifting a narrow value right arithmetically by more than its width is the same as by its width, CF included. */
function atMostWidth(b: Builder, width: Width, count: Value): Value {
  if (width >= 32) return count;
  const known = b.constantOf(count);
  if (known !== undefined) return b.i32(known > width ? width : known);
  return b.select(b.op("i32.gt_u", count, b.i32(width)), b.i32(width), count);
}

const shift =
  (kind: keyof typeof shifted): Lift =>
  (b, { operands: [dst, by] }) => {
    const width = b.width(dst!);
    const value = b.read(dst!);
    const count = maskedCount(b, width, by!);
    const known = b.constantOf(count);
    if (known === 0n) return b.write(dst!, value);
    const amount = asWidth(b, width, kind === "sar" ? atMostWidth(b, width, count) : count);
    const result = shifted[kind](b, width, value, amount);
    b.write(dst!, result);
    b.setFlags(kind, width, value, amount, result, known === undefined ? count : undefined);
  };

/** SARX, SHLX, SHRX and RORX: from one register to another, and no flag. WebAssembly masks counts in the same way. */
const shiftOnly =
  (name: "shl" | "shr_s" | "shr_u" | "rotr"): Lift =>
  (b, { operands: [dst, src, by] }) => {
    const width = b.width(dst!);
    const count = by!.kind === "imm" ? b.read(by!, width) : b.read(by!);
    b.write(dst!, b.int(width, name, b.read(src!), count));
  };
export const shiftsWithoutFlags = {
  sarx: shiftOnly("shr_s"),
  shlx: shiftOnly("shl"),
  shrx: shiftOnly("shr_u"),
  rorx: shiftOnly("rotr"),
} satisfies Record<string, Lift>;

/** dst:src shifted left, the upper half kept. Counts beyond 16 rotate through a 16-bit destination again. */
function doubleLeft(b: Builder, width: Width, value: Value, fill: Value, count: Value): Value {
  if (width === 16) {
    const pair = b.op("i32.or", b.op("i32.shl", value, b.i32(16)), fill);
    return b.op("i32.shr_u", b.op("i32.rotl", pair, count), b.i32(16));
  }
  const amount = asWidth(b, width, count);
  const rest = b.int(width, "sub", b.constant(width, width), amount);
  return b.int(width, "or", b.int(width, "shl", value, amount), b.int(width, "shr_u", fill, rest));
}

/** src:dst shifted right, the lower half kept. */
function doubleRight(b: Builder, width: Width, value: Value, fill: Value, count: Value): Value {
  if (width === 16) {
    const pair = b.op("i32.or", b.op("i32.shl", fill, b.i32(16)), value);
    return b.narrow(16, b.op("i32.rotr", pair, count));
  }
  const amount = asWidth(b, width, count);
  const rest = b.int(width, "sub", b.constant(width, width), amount);
  return b.int(width, "or", b.int(width, "shr_u", value, amount), b.int(width, "shl", fill, rest));
}

/** CF is the last bit shifted out; OF says that the sign changed; SF ZF PF follow the result. */
function doubleFlags(b: Builder, width: Width, value: Value, lastOut: Value, result: Value): Value {
  const bits = [
    b.op("i32.and", lowWord(b, width, lastOut), b.i32(1)),
    atBit(b, b.parity(width, result), eflagsBit.p),
    atBit(b, b.int(width, "eqz", result), eflagsBit.z),
    atBit(b, b.signBit(width, result), eflagsBit.s),
    atBit(b, b.signBit(width, b.int(width, "xor", value, result)), eflagsBit.o),
  ];
  return bits.reduce((left, right) => b.op("i32.or", left, right));
}

const doubleShift =
  (left: boolean): Lift =>
  (b, { operands: [dst, src, by] }) => {
    const width = b.width(dst!);
    const value = b.read(dst!);
    const fill = b.read(src!);
    const count = maskedCount(b, width, by!);
    const known = b.constantOf(count);
    if (known === 0n) return b.write(dst!, value);
    const moved = (left ? doubleLeft : doubleRight)(b, width, value, fill, count);
    const result = known === undefined ? b.select(count, moved, value) : moved;
    const amount = asWidth(b, width, count);
    const distance = left
      ? b.int(width, "sub", b.constant(width, width), amount)
      : b.int(width, "sub", amount, b.constant(width, 1));
    b.write(dst!, result);
    const flags = doubleFlags(b, width, value, b.int(width, "shr_u", value, distance), result);
    b.setRawFlags(flags, known === undefined ? count : undefined);
  };

export const shiftSemantics = {
  shl: shift("shl"),
  sal: shift("shl"),
  shr: shift("shr"),
  sar: shift("sar"),
  shld: doubleShift(true),
  shrd: doubleShift(false),
} satisfies Record<string, Lift>;
