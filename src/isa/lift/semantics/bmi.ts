/** BMI1 and BMI2, LZCNT and MOVBE: what x86-64-v3 adds for general registers. SDM vol. 2 of each. */
import { eflagsBit, type Value, type Width } from "../../ir/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { countSemantics } from "./bits.ts";
import { swappingMoves } from "./moves.ts";
import { mulx } from "./multiply.ts";
import { asWidth, atBit } from "./operands.ts";
import { shiftsWithoutFlags } from "./shifts.ts";

/** SF and ZF of the result and a carry; OF is cleared. AF and PF are undefined. */
function setLogicFlags(b: Builder, width: Width, result: Value, carry?: Value): void {
  b.setFlags("logic", width, result, result, result);
  if (carry !== undefined) b.setCarryAndOverflow(carry, b.i32(0));
}

const andn: Lift = (b, { operands: [dst, inverted, src] }) => {
  const width = b.width(dst!);
  const mask = b.int(width, "xor", b.read(inverted!), b.constant(width, -1n));
  const result = b.int(width, "and", mask, b.read(src!));
  b.write(dst!, result);
  setLogicFlags(b, width, result);
};

/** About the lowest one of the source; CF says that there is one, or that there is none. */
const lowestBit =
  (compute: (b: Builder, width: Width, source: Value) => Value, carriesIf: "some" | "none"): Lift =>
  (b, { operands: [dst, src] }) => {
    const width = b.width(dst!);
    const source = b.read(src!);
    const result = compute(b, width, source);
    const isZero = b.int(width, "eqz", source);
    b.write(dst!, result);
    setLogicFlags(b, width, result, carriesIf === "none" ? isZero : b.op("i32.eqz", isZero));
  };
const oneLess = (b: Builder, width: Width, value: Value): Value => b.int(width, "sub", value, b.constant(width, 1));
const negated = (b: Builder, width: Width, value: Value): Value => b.int(width, "sub", b.constant(width, 0), value);

/** The lowest `count` bits (an i32 below 256) of a value. */
function lowBits(b: Builder, width: Width, value: Value, count: Value): Value {
  const ones = oneLess(b, width, b.int(width, "shl", b.constant(width, 1), asWidth(b, width, count)));
  return b.select(b.op("i32.lt_u", count, b.i32(width)), b.int(width, "and", value, ones), value);
}

const bzhi: Lift = (b, { operands: [dst, src, index] }) => {
  const width = b.width(dst!);
  const source = b.read(src!);
  const count = b.extend(b.read(index!), width, 8, false);
  const result = lowBits(b, width, source, count);
  b.write(dst!, result);
  setLogicFlags(b, width, result, b.op("i32.gt_u", count, b.i32(width - 1)));
};

/** Bits 0-7 of the control say where the field begins, 8-15 how long it is. SF, AF and PF are undefined. */
const bextr: Lift = (b, { operands: [dst, src, control] }) => {
  const width = b.width(dst!);
  const source = b.read(src!);
  const fields = b.extend(b.read(control!), width, 16, false);
  const start = b.op("i32.and", fields, b.i32(0xff));
  const shifted = b.int(width, "shr_u", source, asWidth(b, width, start));
  const there = b.select(b.op("i32.lt_u", start, b.i32(width)), shifted, b.constant(width, 0));
  const result = lowBits(b, width, there, b.op("i32.shr_u", fields, b.i32(8)));
  b.write(dst!, result);
  b.setRawFlags(atBit(b, b.int(width, "eqz", result), eflagsBit.z));
};

const moveBits =
  (name: "x86.extract_bits" | "x86.deposit_bits"): Lift =>
  (b, { operands: [dst, src, mask] }) => {
    const width = b.width(dst!);
    const wide = (value: Value) => b.extend(value, width, 64, false);
    b.write(dst!, b.extend(b.op(name, wide(b.read(src!)), wide(b.read(mask!))), 64, width, false));
  };

export const bmiSemantics = {
  ...countSemantics,
  ...swappingMoves,
  ...shiftsWithoutFlags,
  andn,
  blsi: lowestBit((b, width, source) => b.int(width, "and", source, negated(b, width, source)), "some"),
  blsr: lowestBit((b, width, source) => b.int(width, "and", source, oneLess(b, width, source)), "none"),
  blsmsk: lowestBit((b, width, source) => b.int(width, "xor", source, oneLess(b, width, source)), "none"),
  bzhi,
  bextr,
  mulx,
  pext: moveBits("x86.extract_bits"),
  pdep: moveBits("x86.deposit_bits"),
} satisfies Record<string, Lift>;
