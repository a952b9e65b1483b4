/**
 * What to do when WebAssembly's result is a NaN, whose bits it leaves open: the first operand that is a NaN passes it
 * on with the quiet bit set, else the operation was invalid and gives the default NaN (SDM vol. 1, table 4-7).
 */
import type { Code } from "../../../isa/wasm/index.ts";
import type { MacroContext } from "./context.ts";
import type { NanRule } from "./float-paths.ts";

type Scalar = "f32" | "f64";
type Repair = (c: Code, args: readonly number[], result: number, type: Lanes, context: MacroContext) => void;
export type Lanes = "f32" | "f64" | "f32x4" | "f64x2";

const quiet = { f32: 0x40_0000n, f64: 0x8_0000_0000_0000n } as const;
const defaultNan = { f32: 0xffc0_0000n, f64: 0xfff8_0000_0000_0000n } as const;

const bitsType = { f32: "i32", f64: "i64" } as const;
const integer = (c: Code, type: "i32" | "i64", value: bigint) =>
  type === "i32" ? c.i32(Number(value) | 0) : c.i64(value);

function repairScalar(c: Code, args: readonly number[], type: Scalar): void {
  const bits = bitsType[type];
  const [first, ...rest] = args;
  if (first === undefined) {
    integer(c, bits, defaultNan[type]);
    return;
  }
  c.get(first).op(`${bits}.reinterpret_${type}` as "i32.reinterpret_f32");
  integer(c, bits, quiet[type]).op(`${bits}.or`);
  repairScalar(c, rest, type);
  c.get(first).get(first).op(`${type}.ne`).select(bits);
}

export const splat = (type: Scalar, value: bigint): bigint =>
  type === "f32" ? value | (value << 32n) | (value << 64n) | (value << 96n) : value | (value << 64n);

function repairLanes(c: Code, args: readonly number[], result: number, type: "f32x4" | "f64x2"): void {
  const lane = type === "f32x4" ? "f32" : "f64";
  const repaired = c.local("v128");
  c.v128(splat(lane, defaultNan[lane])).get(result);
  c.get(result).get(result).op(`${type}.ne`).op("v128.bitselect").set(repaired);
  for (const arg of args.toReversed()) {
    c.get(arg).v128(splat(lane, quiet[lane])).op("v128.or").get(repaired);
    c.get(arg).get(arg).op(`${type}.ne`).op("v128.bitselect").set(repaired);
  }
  c.get(repaired);
}

const fromOperands: Repair = (c, args, result, type) => {
  if (type === "f32x4" || type === "f64x2") return repairLanes(c, args, result, type);
  repairScalar(c, args, type);
  c.op(`${type}.reinterpret_${bitsType[type]}` as "f32.reinterpret_i32");
};

/** Sign and the upper bits of the significand stay where they are in the number. */
function widenNan(c: Code, a: number): void {
  const bits = c.local("i64");
  c.get(a).op("i32.reinterpret_f32").op("i64.extend_i32_u").tee(bits);
  c.i64(0x8000_0000n).op("i64.and").i64(32n).op("i64.shl");
  c.get(bits).i64(0x7f_ffffn).op("i64.and").i64(29n).op("i64.shl").op("i64.or");
  c.i64(0x7ff8_0000_0000_0000n).op("i64.or").op("f64.reinterpret_i64");
}
function narrowNan(c: Code, a: number): void {
  const bits = c.local("i64");
  c.get(a).op("i64.reinterpret_f64").tee(bits).i64(32n).op("i64.shr_u").op("i32.wrap_i64");
  c.i32(0x8000_0000 | 0).op("i32.and");
  c.get(bits).i64(29n).op("i64.shr_u").op("i32.wrap_i64").i32(0x7f_ffff).op("i32.and").op("i32.or");
  c.i32(0x7fc0_0000).op("i32.or").op("f32.reinterpret_i32");
}

/** Lane by lane through the scalar macro. */
const widen: Repair = (c, [a], _result, type, { macro }) => {
  if (type === "f64") return widenNan(c, a!);
  const convert = macro("x86.f64.from_f32");
  c.get(a!).op("f32x4.extract_lane", 0).call(convert).op("f64x2.splat");
  c.get(a!).op("f32x4.extract_lane", 1).call(convert).op("f64x2.replace_lane", 1);
};
const narrow: Repair = (c, [a], _result, type, { macro }) => {
  if (type === "f32") return narrowNan(c, a!);
  const convert = macro("x86.f32.from_f64");
  c.v128(0n).get(a!).op("f64x2.extract_lane", 0).call(convert).op("f32x4.replace_lane", 0);
  c.get(a!).op("f64x2.extract_lane", 1).call(convert).op("f32x4.replace_lane", 1);
};

export const repairs: Readonly<Record<NanRule, Repair>> = { operands: fromOperands, widen, narrow };

/** Leaves i32 1 when the value in `result` is a NaN or has one in a lane. */
export function emitIsNan(c: Code, result: number, type: Lanes): void {
  c.get(result).get(result).op(`${type}.ne`);
  if (type === "f32x4" || type === "f64x2") c.op("v128.any_true");
}

/** The lanes of a macro's result, from its name: x86.f32x4.add. */
export const lanesOf = (name: string): Lanes => name.split(".")[1] as Lanes;
