/**
 * Packed shifts. Counts come from an immediate or from the source's low 64 bits and are not cut to the element's
 * width: beyond it the result is all zeros (arithmetic shifts: all signs). SDM vol. 2: PSLLW, PSRAW, PSRLW, PSLLDQ.
 */
import type { Value } from "../../../ir/index.ts";
import type { NumericName } from "../../../wasm/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { beginMmx, formOf, immediate, low, packedControlled, readPacked, writePacked } from "./operands.ts";

interface Shift {
  readonly byConstant: (b: Builder, value: Value, count: number) => Value;
  /** The count is an i64 value. */
  readonly byValue: (b: Builder, value: Value, count: Value) => Value;
}

const logical = (name: NumericName, bits: number): Shift => ({
  byConstant: (b, value, count) => (count >= bits ? b.v128(0n) : b.op(name, value, b.i32(count))),
  byValue: (b, value, count) => {
    const shifted = b.op(name, value, b.op("i32.wrap_i64", count));
    return b.select(b.op("i64.lt_u", count, b.i64(bits)), shifted, b.v128(0n));
  },
});

const arithmetic = (name: NumericName, bits: number): Shift => ({
  byConstant: (b, value, count) => b.op(name, value, b.i32(Math.min(count, bits - 1))),
  byValue: (b, value, count) => {
    const fits = b.op("i64.lt_u", count, b.i64(bits));
    return b.op(name, value, b.select(fits, b.op("i32.wrap_i64", count), b.i32(bits - 1)));
  },
});

const shift =
  ({ byConstant, byValue }: Shift): Lift =>
  (b, instruction) => {
    const [destination, source] = instruction.operands;
    if (formOf(instruction) === "mm") beginMmx(b);
    if (source!.kind === "imm")
      return writePacked(b, destination!, byConstant(b, readPacked(b, destination!), immediate(source)));
    const count = low(b, "i64", readPacked(b, source!));
    writePacked(b, destination!, byValue(b, readPacked(b, destination!), count));
  };

/** Whole register by bytes; lanes from 16 on are the zero vector's. */
const byBytes =
  (direction: 1 | -1): Lift =>
  (b, { operands: [destination, count] }) => {
    const bytes = immediate(count) * direction;
    const lanes = Array.from({ length: 16 }, (_, i) => (i - bytes >= 0 && i - bytes < 16 ? i - bytes : 16));
    b.writeVector(destination!, b.shuffle(b.readVector(destination!), b.v128(0n), lanes));
  };

/** Destination above source, taken from byte `control` on. */
const palignr = packedControlled((b, left, right, control, form) => {
  const size = form === "mm" ? 8 : 16;
  const taken = Array.from({ length: size }, (_, i) => i + control);
  const rest = Array.from({ length: 16 - size }, () => 16);
  if (control >= size)
    return b.shuffle(left, b.v128(0n), [...taken.map((i) => (i < 2 * size ? i - size : 16)), ...rest]);
  return b.shuffle(right, left, [...taken.map((i) => (i < size ? i : i - size + 16)), ...rest]);
});

// biome-ignore format: columns stay aligned
export const shiftSemantics = {
  psllw: shift(logical("i16x8.shl", 16)),   pslld: shift(logical("i32x4.shl", 32)),   psllq: shift(logical("i64x2.shl", 64)),
  psrlw: shift(logical("i16x8.shr_u", 16)), psrld: shift(logical("i32x4.shr_u", 32)), psrlq: shift(logical("i64x2.shr_u", 64)),
  psraw: shift(arithmetic("i16x8.shr_s", 16)), psrad: shift(arithmetic("i32x4.shr_s", 32)),
  pslldq: byBytes(1), psrldq: byBytes(-1), palignr,
} satisfies Record<string, Lift>;
