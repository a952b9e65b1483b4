/**
 * CRC32: one polynomial division step per bit, over the Castagnoli polynomial, bits reflected. SDM vol. 2: CRC32.
 * Flags do not change; the destination's upper half is always cleared.
 */
import type { Value } from "../../ir/index.ts";
import type { Builder, Lift } from "../builder.ts";

const polynomial = 0x82f6_3b78;

/** Divides the low `bits` bits out of a 32-bit remainder. */
function divide(b: Builder, remainder: Value, bits: number): Value {
  let rest = remainder;
  for (let i = 0; i < bits; i++) {
    const lowBit = b.op("i32.and", rest, b.i32(1));
    const subtract = b.op("i32.and", b.op("i32.sub", b.i32(0), lowBit), b.i32(polynomial));
    rest = b.op("i32.xor", b.op("i32.shr_u", rest, b.i32(1)), subtract);
  }
  return rest;
}

export const crc32Semantics = {
  crc32: (b, { operands: [dst, src] }) => {
    const width = b.width(src!);
    const value = b.read(src!);
    const low = width === 64 ? b.op("i32.wrap_i64", value) : value;
    const crc = b.extend(b.read(dst!), b.width(dst!), 32, false);
    let rest = divide(b, b.op("i32.xor", crc, low), Math.min(width, 32));
    if (width === 64) {
      const high = b.op("i32.wrap_i64", b.op("i64.shr_u", value, b.i64(32)));
      rest = divide(b, b.op("i32.xor", rest, high), 32);
    }
    b.write({ kind: "gpr", index: (dst as { index: number }).index, size: 4, high: false }, rest);
  },
} satisfies Record<string, Lift>;
