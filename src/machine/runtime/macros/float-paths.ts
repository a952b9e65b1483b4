/**
 * The short way through each floating-point macro: WebAssembly code that is exact while MXCSR's control bits have
 * their default and, where `nan` is given, while the result is no NaN. The rules are SDM vol. 1, table 4-7 (NaN
 * operands) and the instruction pages in vol. 2 (MINPS, CMPPS, COMISD, CVTSD2SI, ROUNDPD).
 */
import type { FloatMacroName } from "../../../isa/ir/index.ts";
import type { Code, NumericName } from "../../../isa/wasm/index.ts";
import { fusedEmits } from "./fused-paths.ts";

/** Leaves the value computed from the arguments' locals; `control` is the value of the last parameter, if it is one. */
type Emit = (c: Code, args: readonly number[], control: number) => void;

/** How a NaN result is made the one that x86 gives: the operand that passes its NaN on, first to last. */
export type NanRule = "operands" | "narrow" | "widen";

export interface FloatPath {
  /** Undefined: there is no short way. */
  readonly emit?: Emit;
  /** Too long to be written in place of a call. */
  readonly isLong?: true;
  readonly nan?: NanRule | "helper";
  /** How many values of the control parameter tell different code apart; `emit` is called with each. */
  readonly controls?: number;
  /** The control value as `emit` knows it, from the macro's argument. */
  readonly normalize?: (control: number) => number;
}

type Scalar = "f32" | "f64";
type Vector = "f32x4" | "f64x2";

const op =
  (name: string): Emit =>
  (c, args) => {
    for (const arg of args) c.get(arg);
    c.op(name as NumericName);
  };

const arithmetic = <T extends Scalar | Vector>(type: T) =>
  ({
    [`x86.${type}.add`]: { emit: op(`${type}.add`), nan: "operands" },
    [`x86.${type}.sub`]: { emit: op(`${type}.sub`), nan: "operands" },
    [`x86.${type}.mul`]: { emit: op(`${type}.mul`), nan: "operands" },
    [`x86.${type}.div`]: { emit: op(`${type}.div`), nan: "operands" },
    [`x86.${type}.sqrt`]: { emit: op(`${type}.sqrt`), nan: "operands" },
  }) as Record<`x86.${T}.${"add" | "sub" | "mul" | "div" | "sqrt"}`, FloatPath>;

/** In the order of MXCSR's RC field. */
const roundings = ["nearest", "floor", "ceil", "trunc"] as const;

const rounding = (type: Scalar | Vector): FloatPath => ({
  emit: (c, [a], control) => c.get(a!).op(`${type}.${roundings[control]!}`),
  nan: "operands",
  controls: 4,
  normalize: (control) => (control & 4 ? 0 : control & 3),
});

/** The first operand only if it is strictly less (greater): else the second, whatever it is. */
const selection = (type: Scalar, comparison: "lt" | "gt"): FloatPath => ({
  emit: (c, [a, b]) => c.get(a!).get(b!).get(a!).get(b!).op(`${type}.${comparison}`).select(type),
});
/** WebAssembly's pmin and pmax are MINPS and MAXPS with the operands exchanged. */
const laneSelection = (type: Vector, name: "pmin" | "pmax"): FloatPath => ({
  emit: (c, [a, b]) => c.get(b!).get(a!).op(`${type}.${name}`),
});

const oddSigns = { f32x4: (1n << 31n) | (1n << 95n), f64x2: 1n << 63n } as const;
const addsub = (type: Vector): FloatPath => ({
  emit: (c, [a, b]) => c.get(a!).get(b!).v128(oddSigns[type]).op("v128.xor").op(`${type}.add`),
  nan: "operands",
});

/** How a predicate is made of WebAssembly's comparisons: those of its parts joined by or, of the operands given. */
interface Predicate {
  readonly parts: readonly (readonly ["eq" | "ne" | "lt" | "le" | "gt" | "ge", left: 0 | 1, right: 0 | 1])[];
  readonly negated?: true;
}
const unordered: Predicate["parts"] = [["ne", 0, 0], ["ne", 1, 1]]; // biome-ignore format: one line
const unequal: Predicate["parts"] = [["lt", 0, 1], ["gt", 0, 1]]; // biome-ignore format: one line
// biome-ignore format: as SDM vol. 2, table 3-1
const predicates: readonly Predicate[] = [
  { parts: [["eq", 0, 1]] }, { parts: [["lt", 0, 1]] }, { parts: [["le", 0, 1]] }, { parts: unordered },
  { parts: [["eq", 0, 1]], negated: true }, { parts: [["lt", 0, 1]], negated: true },
  { parts: [["le", 0, 1]], negated: true }, { parts: unordered, negated: true },
  { parts: unequal, negated: true }, { parts: [["ge", 0, 1]], negated: true },
  { parts: [["gt", 0, 1]], negated: true }, { parts: [] },
  { parts: unequal }, { parts: [["ge", 0, 1]] }, { parts: [["gt", 0, 1]] }, { parts: [], negated: true },
];

/** The words for integers or for masks of lanes. */
interface Words {
  readonly never: (c: Code) => void;
  readonly or: NumericName;
  readonly not: NumericName;
}
const integerWords: Words = { never: (c) => c.i32(0), or: "i32.or", not: "i32.eqz" };
const maskWords: Words = { never: (c) => c.v128(0n), or: "v128.or", not: "v128.not" };

const predicate =
  (type: Scalar | Vector, { never, or, not }: Words): Emit =>
  (c, args, control) => {
    const { parts, negated } = predicates[control]!;
    if (parts.length === 0) never(c);
    for (const [i, [name, left, right]] of parts.entries()) {
      c.get(args[left]!).get(args[right]!).op(`${type}.${name}`);
      if (i > 0) c.op(or);
    }
    if (negated) c.op(not);
  };
/** Those from 16 on differ only in what is invalid. */
const comparison = (emit: Emit): FloatPath => ({ emit, controls: 16, normalize: (control) => control & 15 });

/** CF is "not greater or equal", ZF "neither less nor greater", PF both at once: unordered. */
const order = (type: Scalar): FloatPath => ({
  emit: (c, [a, b]) => {
    const below = c.local("i32");
    const equal = c.local("i32");
    c.get(a!).get(b!).op(`${type}.ge`).op("i32.eqz").tee(below);
    c.get(a!).get(b!).op(`${type}.lt`).get(a!).get(b!).op(`${type}.gt`).op("i32.or").op("i32.eqz").tee(equal);
    c.i32(6).op("i32.shl").op("i32.or");
    c.get(below).get(equal).op("i32.and").i32(2).op("i32.shl").op("i32.or");
  },
});

const limit = {
  f32: { i32: 0x4f00_0000n, i64: 0x5f00_0000n },
  f64: { i32: 0x41e0_0000_0000_0000n, i64: 0x43e0_0000_0000_0000n },
} as const;

export const constant = (c: Code, type: Scalar, bits: bigint): Code =>
  type === "f32" ? c.i32(Number(bits)).op("f32.reinterpret_i32") : c.i64(bits).op("f64.reinterpret_i64");

/** Saturation gives the indefinite below; above, and for a NaN, it is put there. */
const toInteger = (type: Scalar, to: "i32" | "i64", round: boolean): FloatPath => ({
  emit: (c, [a]) => {
    let value = a!;
    if (round) {
      value = c.local(type);
      c.get(a!).op(`${type}.nearest`).set(value);
    }
    c.get(value).op(`${to}.trunc_sat_${type}_s`);
    if (to === "i32") c.i32(0x8000_0000 | 0);
    else c.i64(-(1n << 63n));
    constant(c.get(value), type, limit[type][to]).op(`${type}.lt`).select(to);
  },
});

const indefinite = 0x80000000_80000000_80000000_80000000n;
const f32Limit = 0x4f000000_4f000000_4f000000_4f000000n;
const f64Limit = 0x41e00000_00000000_41e00000_00000000n;

function rounded(c: Code, a: number, type: Vector, round: boolean): number {
  if (!round) return a;
  const value = c.local("v128");
  c.get(a).op(`${type}.nearest`).set(value);
  return value;
}
const fourToInteger = (round: boolean): FloatPath => ({
  emit: (c, [a]) => {
    const value = rounded(c, a!, "f32x4", round);
    c.get(value).op("i32x4.trunc_sat_f32x4_s").v128(indefinite);
    c.get(value).v128(f32Limit).op("f32x4.lt").op("v128.bitselect");
  },
});
const twoToInteger = (round: boolean): FloatPath => ({
  emit: (c, [a]) => {
    const value = rounded(c, a!, "f64x2", round);
    const fits = c.local("v128");
    c.get(value)
      .op("i32x4.trunc_sat_f64x2_s_zero")
      .v128(indefinite & ((1n << 64n) - 1n));
    c.get(value).v128(f64Limit).op("f64x2.lt").tee(fits);
    c.get(fits).shuffle([0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11]).op("v128.bitselect");
  },
});

const fused = (type: Scalar | Vector): FloatPath => ({ emit: fusedEmits[type], isLong: true, nan: "helper" });

const scalarPaths = <T extends Scalar>(type: T) =>
  ({
    ...arithmetic(type),
    [`x86.${type}.min`]: selection(type, "lt"),
    [`x86.${type}.max`]: selection(type, "gt"),
    [`x86.${type}.fused`]: fused(type),
    [`x86.${type}.round`]: rounding(type),
    [`x86.${type}.compare`]: comparison(predicate(type, integerWords)),
    [`x86.${type}.order`]: order(type),
    [`x86.${type}.to_i32`]: toInteger(type, "i32", true),
    [`x86.${type}.to_i64`]: toInteger(type, "i64", true),
    [`x86.${type}.trunc_i32`]: toInteger(type, "i32", false),
    [`x86.${type}.trunc_i64`]: toInteger(type, "i64", false),
    [`x86.${type}.from_i64`]: { emit: op(`${type}.convert_i64_s`) },
  }) as Record<Extract<FloatMacroName, `x86.${T}.${string}`>, FloatPath>;

const vectorPaths = <T extends Vector>(type: T) =>
  ({
    ...arithmetic(type),
    [`x86.${type}.min`]: laneSelection(type, "pmin"),
    [`x86.${type}.max`]: laneSelection(type, "pmax"),
    [`x86.${type}.fused`]: fused(type),
    [`x86.${type}.round`]: rounding(type),
    [`x86.${type}.compare`]: comparison(predicate(type, maskWords)),
    [`x86.${type}.addsub`]: addsub(type),
  }) as Record<Extract<FloatMacroName, `x86.${T}.${string}`>, FloatPath>;

export const floatPaths: Readonly<Record<FloatMacroName, FloatPath>> = {
  ...scalarPaths("f32"),
  ...scalarPaths("f64"),
  ...vectorPaths("f32x4"),
  ...vectorPaths("f64x2"),
  "x86.f32x4.from_f16x4": {},
  "x86.f32x4.to_f16x4": {},
  "x86.f32.from_i32": { emit: op("f32.convert_i32_s") },
  "x86.f64.from_f32": { emit: op("f64.promote_f32"), nan: "widen" },
  "x86.f32.from_f64": { emit: op("f32.demote_f64"), nan: "narrow" },
  "x86.f64x2.from_f32x4": { emit: op("f64x2.promote_low_f32x4"), nan: "widen" },
  "x86.f32x4.from_f64x2": { emit: op("f32x4.demote_f64x2_zero"), nan: "narrow" },
  "x86.f32x4.from_i32x4": { emit: op("f32x4.convert_i32x4_s") },
  "x86.f32x4.to_i32x4": fourToInteger(true),
  "x86.f32x4.trunc_i32x4": fourToInteger(false),
  "x86.f64x2.to_i32x4": twoToInteger(true),
  "x86.f64x2.trunc_i32x4": twoToInteger(false),
};
