/** Operands that instructions name only implicitly, and small readings that several families share. */
import type { Value, Width } from "../../ir/index.ts";
import type { Operand } from "../../x86/index.ts";
import type { Builder } from "../builder.ts";

type Gpr = Extract<Operand, { kind: "gpr" }>;

const gprOperand = (index: number, width: Width): Gpr => ({
  kind: "gpr",
  index,
  size: (width / 8) as Gpr["size"],
  high: false,
});

export const accumulator = (width: Width): Gpr => gprOperand(0, width);
export const counter = (width: Width): Gpr => gprOperand(1, width);
export const data = (width: Width): Gpr => gprOperand(2, width);
export const base = (width: Width): Gpr => gprOperand(3, width);
export const ah: Gpr = { kind: "gpr", index: 0, size: 1, high: true };

/** A bit (i32 0 or 1) moved to its EFLAGS position. */
export const atBit = (b: Builder, bit: Value, position: number): Value => b.op("i32.shl", bit, b.i32(position));

/** An i32 count or bit as the integer type that carries `width` bits. */
export const asWidth = (b: Builder, width: Width, value: Value): Value =>
  width === 64 ? b.op("i64.extend_i32_u", value) : value;

/** The low 32 bits of a `width`-bit integer as an i32. */
export const lowWord = (b: Builder, width: Width, value: Value): Value =>
  width === 64 ? b.op("i32.wrap_i64", value) : value;

/** What Linux puts into the segment registers of a 64-bit process: __USER_CS and __USER_DS; the others are null. */
export const segmentSelectors: Readonly<Record<string, number>> = { cs: 0x33, ss: 0x2b, ds: 0, es: 0, fs: 0, gs: 0 };
