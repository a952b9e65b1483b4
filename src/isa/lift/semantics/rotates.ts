/**
 * Rotates, plain and through CF. Only CF and OF change, and only when the masked count is not 0; OF is defined for a count
 * of 1. SDM vol. 2: RCL/RCR/ROL/ROR.
 */
import type { Value, Width } from "../../ir/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { asWidth, lowWord } from "./operands.ts";
import { maskedCount } from "./shifts.ts";

const topBit = (b: Builder, width: Width, value: Value) => b.signBit(width, value);
const secondBit = (b: Builder, width: Width, value: Value) =>
  b.op("i32.and", lowWord(b, width, b.int(width, "shr_u", value, b.constant(width, width - 2))), b.i32(1));

/** Rotates left by a count below `width`. */
function rotatedLeft(b: Builder, width: Width, value: Value, count: Value): Value {
  if (width >= 32) return b.int(width, "rotl", value, asWidth(b, width, count));
  const up = b.op("i32.shl", value, count);
  const down = b.op("i32.shr_u", value, b.op("i32.sub", b.i32(width), count));
  return b.narrow(width, b.op("i32.or", up, down));
}

const rotate =
  (left: boolean): Lift =>
  (b, { operands: [dst, by] }) => {
    const width = b.width(dst!);
    const value = b.read(dst!);
    const count = maskedCount(b, width, by!);
    const known = b.constantOf(count);
    if (known === 0n) return b.write(dst!, value);
    const distance = left ? count : b.op("i32.sub", b.i32(width), count);
    const result = rotatedLeft(b, width, value, b.op("i32.and", distance, b.i32(width - 1)));
    b.write(dst!, result);
    const top = topBit(b, width, result);
    const carry = left ? b.op("i32.and", lowWord(b, width, result), b.i32(1)) : top;
    const overflow = b.op("i32.xor", top, left ? carry : secondBit(b, width, result));
    b.setCarryAndOverflow(carry, overflow, known === undefined ? count : undefined);
  };

interface ThroughCarry {
  readonly result: Value;
  readonly carry: Value;
}

/** Up to 32 bits: CF above the value makes a number of width + 1 bits, rotated within an i64. */
function narrowThroughCarry(b: Builder, width: Width, value: Value, count: Value, left: boolean): ThroughCarry {
  const bits = width + 1;
  const turns = width === 32 ? count : b.op("i32.rem_u", count, b.i32(bits));
  const up = b.op("i64.extend_i32_u", left ? turns : b.op("i32.sub", b.i32(bits), turns));
  const down = b.op("i64.sub", b.i64(bits), up);
  const carried = b.op("i64.shl", b.op("i64.extend_i32_u", b.flag("c")), b.i64(width));
  const whole = b.op("i64.or", b.op("i64.extend_i32_u", value), carried);
  const turned = b.op("i64.or", b.op("i64.shl", whole, up), b.op("i64.shr_u", whole, down));
  const carry = b.op("i32.and", b.op("i32.wrap_i64", b.op("i64.shr_u", turned, b.i64(width))), b.i32(1));
  return { result: b.narrow(width, b.op("i32.wrap_i64", turned)), carry };
}

/** 64 bits: three pieces, each shifted in two steps so that a distance of 64 leaves nothing; count 0 apart. */
function wideThroughCarry(b: Builder, value: Value, count: Value, left: boolean): ThroughCarry {
  const old = b.flag("c");
  const amount = b.op("i64.extend_i32_u", count);
  const rest = b.op("i64.sub", b.i64(64), amount);
  const before = b.op("i64.sub", amount, b.i64(1));
  const carried = b.op("i64.extend_i32_u", old);
  const [toward, away] = left ? (["i64.shl", "i64.shr_u"] as const) : (["i64.shr_u", "i64.shl"] as const);
  const moved = b.op(toward, value, amount);
  const wrapped = b.op(away, b.op(away, value, b.i64(1)), rest);
  const inserted = b.op("i64.shl", carried, left ? before : rest);
  const turned = b.op("i64.or", b.op("i64.or", moved, wrapped), inserted);
  const lastOut = b.op("i32.wrap_i64", b.op("i64.shr_u", value, left ? rest : before));
  const carry = b.op("i32.and", lastOut, b.i32(1));
  if (b.constantOf(count) !== undefined) return { result: turned, carry };
  return { result: b.select(count, turned, value), carry: b.select(count, carry, old) };
}

const rotateThroughCarry =
  (left: boolean): Lift =>
  (b, { operands: [dst, by] }) => {
    const width = b.width(dst!);
    const value = b.read(dst!);
    const count = maskedCount(b, width, by!);
    const known = b.constantOf(count);
    if (known === 0n) return b.write(dst!, value);
    const { result, carry } =
      width === 64 ? wideThroughCarry(b, value, count, left) : narrowThroughCarry(b, width, value, count, left);
    b.write(dst!, result);
    const top = topBit(b, width, result);
    const overflow = b.op("i32.xor", top, left ? carry : secondBit(b, width, result));
    b.setCarryAndOverflow(carry, overflow, known === undefined ? count : undefined);
  };

export const rotateSemantics = {
  rol: rotate(true),
  ror: rotate(false),
  rcl: rotateThroughCarry(true),
  rcr: rotateThroughCarry(false),
} satisfies Record<string, Lift>;
