/**
 * Multiplication. CF and OF say that the upper half carries information; SF ZF AF PF are undefined and left clear.
 * SDM vol. 2: MUL, IMUL, MULX.
 */
import type { Value, Width } from "../../ir/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { accumulator, data } from "./operands.ts";

interface Product {
  readonly low: Value;
  readonly high: () => Value;
  /** The product does not fit `width` bits: i32 0 or 1. */
  readonly overflow: () => Value;
}

function multiply64(b: Builder, left: Value, right: Value, signed: boolean): Product {
  const low = b.op("i64.mul", left, right);
  const high = () => b.op(signed ? "x86.mul_high_s" : "x86.mul_high_u", left, right);
  const expected = signed ? b.op("i64.shr_s", low, b.i64(63)) : b.i64(0);
  return { low, high, overflow: () => b.op("i64.ne", high(), expected) };
}

function multiply(b: Builder, width: Width, left: Value, right: Value, signed: boolean): Product {
  if (width === 64) return multiply64(b, left, right, signed);
  const wide = b.op("i64.mul", b.extend(left, width, 64, signed), b.extend(right, width, 64, signed));
  const low = b.narrow(width, b.op("i32.wrap_i64", wide));
  const high = () => b.narrow(width, b.op("i32.wrap_i64", b.op("i64.shr_u", wide, b.i64(width))));
  return { low, high, overflow: () => b.op("i64.ne", wide, b.extend(low, width, 64, signed)) };
}

function setOverflow(b: Builder, overflow: Value): void {
  b.setRawFlags(b.op("i32.and", b.op("i32.sub", b.i32(0), overflow), b.i32(0x801)));
}

/** The one-operand form: the accumulator times src, into the accumulator and the data register (AX for bytes). */
const intoPair =
  (signed: boolean): Lift =>
  (b, { operands: [src] }) => {
    const width = b.width(src!);
    const { low, high, overflow } = multiply(b, width, b.read(accumulator(width)), b.read(src!), signed);
    if (width === 8) {
      b.write(accumulator(16), b.op("i32.or", low, b.op("i32.shl", high(), b.i32(8))));
    } else {
      b.write(accumulator(width), low);
      b.write(data(width), high());
    }
    setOverflow(b, overflow());
  };

/** Both halves of an unsigned product with the data register, and no flag: the upper one first, and last in one register. */
export const mulx: Lift = (b, { operands: [upper, lower, src] }) => {
  const width = b.width(src!);
  const { low, high } = multiply(b, width, b.read(data(width)), b.read(src!), false);
  const top = high();
  b.write(lower!, low);
  b.write(upper!, top);
};

export const multiplySemantics = {
  mul: intoPair(false),
  imul: (b, instruction) => {
    const [dst, ...sources] = instruction.operands;
    if (sources.length === 0) return intoPair(true)(b, instruction);
    const [left, right] = sources.length === 1 ? [dst!, sources[0]!] : [sources[0]!, sources[1]!];
    const width = b.width(dst!);
    const [x, y] = [b.read(left, width), b.read(right, width)];
    const product = b.narrow(width, b.int(width, "mul", x, y));
    b.write(dst!, product);
    b.setFlags("imul", width, x, y, product);
  },
} satisfies Record<string, Lift>;
