/**
 * 128-bit multiplication and division out of 64-bit ones. Products: Hacker's Delight 8-2; quotients: Knuth's
 * algorithm D with two 32-bit digits, as in Hacker's Delight 9-4.
 */
import type { MacroName } from "../../../isa/ir/index.ts";
import { Code } from "../../../isa/wasm/index.ts";
import type { MacroBody } from "./context.ts";

const [left, right] = [0, 1];
const [low, high, divisor] = [0, 1, 2];
const low32 = 0xffff_ffffn;

const lowHalf = (c: Code, local: number) => c.get(local).i64(low32).op("i64.and");
const highHalf = (c: Code, local: number) => c.get(local).i64(32n).op("i64.shr_u");

const highProductUnsigned: MacroBody = () => {
  const c = new Code(["i64", "i64"]);
  const middle = c.local("i64");
  const other = c.local("i64");
  lowHalf(c, left);
  lowHalf(c, right).op("i64.mul").i64(32n).op("i64.shr_u");
  highHalf(c, left);
  lowHalf(c, right).op("i64.mul").op("i64.add").set(middle);
  lowHalf(c, left);
  highHalf(c, right).op("i64.mul");
  lowHalf(c, middle).op("i64.add").set(other);
  highHalf(c, left);
  highHalf(c, right).op("i64.mul");
  highHalf(c, middle).op("i64.add");
  highHalf(c, other).op("i64.add");
  return c;
};

/** The unsigned product counts a negative factor 2^64 too high: take the other factor off the upper half. */
const highProductSigned: MacroBody = ({ macro }) => {
  const c = new Code(["i64", "i64"]);
  c.get(left).get(right).call(macro("x86.mul_high_u"));
  c.get(left).i64(63n).op("i64.shr_s").get(right).op("i64.and").op("i64.sub");
  c.get(right).i64(63n).op("i64.shr_s").get(left).op("i64.and").op("i64.sub");
  return c;
};

/** One 32-bit digit of the quotient: rest (locals) ÷ divisor, `next` being the dividend's next digit. */
function quotientDigit(c: Code, rest: number, next: number, digit: number, remainder: number): void {
  highHalf(c.get(rest), divisor).op("i64.div_u").tee(digit);
  highHalf(c, divisor).op("i64.mul").set(remainder);
  c.get(rest).get(remainder).op("i64.sub").set(remainder);
  const fits = c.block();
  const again = c.loop();
  c.get(digit).i64(32n).op("i64.shr_u").op("i64.eqz");
  lowHalf(c.get(digit), divisor).op("i64.mul");
  c.get(remainder).i64(32n).op("i64.shl").get(next).op("i64.or");
  c.op("i64.le_u").op("i32.and").brIf(fits);
  c.get(digit).i64(1n).op("i64.sub").set(digit);
  highHalf(c.get(remainder), divisor).op("i64.add").tee(remainder);
  c.i64(low32).op("i64.le_u").brIf(again);
  c.end().end();
}

const quotientUnsigned: MacroBody = () => {
  const c = new Code(["i64", "i64", "i64"]);
  const shift = c.local("i64");
  const rest = c.local("i64");
  const next = c.local("i64");
  const first = c.local("i64");
  const second = c.local("i64");
  const remainder = c.local("i64");
  c.get(high).op("i64.eqz");
  c.if_();
  c.get(low).get(divisor).op("i64.div_u").return_();
  c.end();
  c.get(divisor).op("i64.clz").set(shift);
  c.get(divisor).get(shift).op("i64.shl").set(divisor);
  c.get(high).get(shift).op("i64.shl");
  c.get(low).i64(1n).op("i64.shr_u").i64(63n).get(shift).op("i64.sub").op("i64.shr_u").op("i64.or").set(rest);
  c.get(low).get(shift).op("i64.shl").set(low);
  highHalf(c, low).set(next);
  quotientDigit(c, rest, next, first, remainder);
  c.get(rest).i64(32n).op("i64.shl").get(next).op("i64.or");
  c.get(first).get(divisor).op("i64.mul").op("i64.sub").set(rest);
  lowHalf(c, low).set(next);
  quotientDigit(c, rest, next, second, remainder);
  return c.get(first).i64(32n).op("i64.shl").get(second).op("i64.add");
};

/** low − quotient × divisor: the remainder fits 64 bits, so the upper halves cancel. */
const remainderOf =
  (quotient: MacroName): MacroBody =>
  ({ macro }) => {
    const c = new Code(["i64", "i64", "i64"]);
    c.get(low).get(low).get(high).get(divisor).call(macro(quotient));
    return c.get(divisor).op("i64.mul").op("i64.sub");
  };

/** Makes dividend and divisor positive; leaves in `negative` (i64 0 or −1) whether their signs differed. */
function takeMagnitudes(c: Code, negative: number): void {
  c.get(high).get(divisor).op("i64.xor").i64(63n).op("i64.shr_s").set(negative);
  c.get(high).i64(0n).op("i64.lt_s");
  c.if_();
  c.i64(0n).get(high).op("i64.sub").get(low).i64(0n).op("i64.ne").op("i64.extend_i32_u").op("i64.sub").set(high);
  c.i64(0n).get(low).op("i64.sub").set(low);
  c.end();
  const sign = c.local("i64");
  c.get(divisor).i64(63n).op("i64.shr_s").set(sign);
  c.get(divisor).get(sign).op("i64.xor").get(sign).op("i64.sub").set(divisor);
}

const quotientSigned: MacroBody = ({ macro }) => {
  const c = new Code(["i64", "i64", "i64"]);
  const negative = c.local("i64");
  takeMagnitudes(c, negative);
  c.get(low).get(high).get(divisor).call(macro("x86.div128_u"));
  return c.get(negative).op("i64.xor").get(negative).op("i64.sub");
};

const quotientOverflows: MacroBody = ({ macro }) => {
  const c = new Code(["i64", "i64", "i64"]);
  const negative = c.local("i64");
  takeMagnitudes(c, negative);
  c.get(high).get(divisor).op("i64.ge_u");
  c.if_();
  c.i32(1).return_();
  c.end();
  c.get(low).get(high).get(divisor).call(macro("x86.div128_u"));
  return c
    .i64((1n << 63n) - 1n)
    .get(negative)
    .op("i64.sub")
    .op("i64.gt_u");
};

/** One bit of the mask after another, lowest first: masks often have few. */
const eachMaskBit =
  (
    move: (c: Code, bit: { readonly mask: number; readonly moved: number; readonly source: number }) => void,
  ): MacroBody =>
  () => {
    const c = new Code(["i64", "i64"]);
    const [source, mask] = [0, 1];
    const [moved, result] = [c.local("i64"), c.local("i64")];
    c.i64(1n).set(moved);
    const done = c.block();
    const again = c.loop();
    c.get(mask).op("i64.eqz").brIf(done);
    c.i64(0n);
    move(c, { mask, moved, source });
    c.get(result).op("i64.or").set(result);
    c.get(moved).i64(1n).op("i64.shl").set(moved);
    c.get(mask).get(mask).i64(1n).op("i64.sub").op("i64.and").set(mask);
    c.br(again).end().end();
    return c.get(result);
  };
const lowestOf = (c: Code, local: number) => c.get(local).i64(0n).get(local).op("i64.sub").op("i64.and");

const extractBits = eachMaskBit((c, { mask, moved, source }) => {
  c.get(moved);
  lowestOf(c.get(source), mask).op("i64.and").op("i64.eqz").select("i64");
});
const depositBits = eachMaskBit((c, { mask, moved, source }) => {
  lowestOf(c, mask);
  c.get(source).get(moved).op("i64.and").op("i64.eqz").select("i64");
});

export const integerBodies = {
  "x86.extract_bits": extractBits,
  "x86.deposit_bits": depositBits,
  "x86.mul_high_u": highProductUnsigned,
  "x86.mul_high_s": highProductSigned,
  "x86.div128_u": quotientUnsigned,
  "x86.rem128_u": remainderOf("x86.div128_u"),
  "x86.div128_s": quotientSigned,
  "x86.rem128_s": remainderOf("x86.div128_s"),
  "x86.div128_s_overflows": quotientOverflows,
} as const satisfies Partial<Record<MacroName, MacroBody>>;
