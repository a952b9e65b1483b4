/**
 * Division: #DE when the divisor is 0 or the quotient does not fit; all six flags are undefined and stay as they are.
 * SDM vol. 2: DIV, IDIV. The traps come before the WebAssembly divisions that would trap themselves.
 */
import { gprs, type Op, type Value, type Width } from "../../ir/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { accumulator, data } from "./operands.ts";

const minimum64 = -(1n << 63n);

/** The dividend of a narrow division in an i64: AX, DX:AX or EDX:EAX. */
function narrowDividend(b: Builder, width: 8 | 16 | 32, signed: boolean): Value {
  if (width === 8) return b.extend(b.read(accumulator(16)), 16, 64, signed);
  const high = b.read(data(width));
  const low = b.extend(b.read(accumulator(width)), width, 64, false);
  const above = b.op("i64.shl", b.extend(high, width, 64, signed), b.i64(width));
  return b.op("i64.or", above, low);
}

function divideNarrow(b: Builder, width: 8 | 16 | 32, source: Value, signed: boolean): void {
  const divisor = b.extend(source, width, 64, signed);
  b.trapIf(b.op("i64.eqz", divisor), "divide");
  const dividend = narrowDividend(b, width, signed);
  if (signed && width === 32) trapOnMinimum(b, dividend, divisor);
  const quotient = b.op(signed ? "i64.div_s" : "i64.div_u", dividend, divisor);
  const low = b.narrow(width, b.op("i32.wrap_i64", quotient));
  b.trapIf(b.op("i64.ne", quotient, b.extend(low, width, 64, signed)), "divide");
  const rest = b.op("i64.sub", dividend, b.op("i64.mul", quotient, divisor));
  const remainder = b.narrow(width, b.op("i32.wrap_i64", rest));
  if (width === 8) {
    b.write(accumulator(16), b.op("i32.or", low, b.op("i32.shl", remainder, b.i32(8))));
  } else {
    b.write(accumulator(width), low);
    b.write(data(width), remainder);
  }
}

function trapOnMinimum(b: Builder, dividend: Value, divisor: Value): void {
  const smallest = b.op("i64.eq", dividend, b.i64(minimum64));
  b.trapIf(b.op("i32.and", smallest, b.op("i64.eq", divisor, b.i64(-1))), "divide");
}

/** The upper half only repeats what the lower one says: `xor edx, edx` before DIV, `cqo` before IDIV. */
function highIsExtension(b: Builder, high: Value, low: Value, signed: boolean): boolean {
  if (!signed) return b.constantOf(high) === 0n;
  const op = b.ops[high] as Op;
  return op.kind === "pure" && op.op === "i64.shr_s" && op.args[0] === low && b.constantOf(op.args[1]!) === 63n;
}

/** One quotient of two 64-bit numbers. */
function divideSimple(b: Builder, low: Value, divisor: Value, signed: boolean): [Value, Value] {
  b.trapIf(b.op("i64.eqz", divisor), "divide");
  if (signed) trapOnMinimum(b, low, divisor);
  const quotient = b.op(signed ? "i64.div_s" : "i64.div_u", low, divisor);
  return [quotient, b.op("i64.sub", low, b.op("i64.mul", quotient, divisor))];
}

function divideWide(b: Builder, low: Value, high: Value, divisor: Value, signed: boolean): [Value, Value] {
  if (signed) {
    b.trapIf(b.op("i64.eqz", divisor), "divide");
    b.trapIf(b.op("x86.div128_s_overflows", low, high, divisor), "divide");
  } else {
    b.trapIf(b.op("i64.ge_u", high, divisor), "divide");
  }
  const quotient = b.op(signed ? "x86.div128_s" : "x86.div128_u", low, high, divisor);
  return [quotient, b.op("i64.sub", low, b.op("i64.mul", quotient, divisor))];
}

const divide =
  (signed: boolean): Lift =>
  (b, { operands: [src] }) => {
    const width = b.width(src!);
    const divisor = b.read(src!);
    if (width !== 64) return divideNarrow(b, width as Exclude<Width, 64>, divisor, signed);
    const low = b.get(gprs[0]!);
    const high = b.get(gprs[2]!);
    const [quotient, remainder] = highIsExtension(b, high, low, signed)
      ? divideSimple(b, low, divisor, signed)
      : divideWide(b, low, high, divisor, signed);
    b.put(gprs[0]!, quotient);
    b.put(gprs[2]!, remainder);
  };

export const divideSemantics = {
  div: divide(false),
  idiv: divide(true),
} satisfies Record<string, Lift>;
