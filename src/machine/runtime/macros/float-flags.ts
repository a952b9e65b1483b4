/**
 * Where MXCSR's status flags are kept, the short way still does if an operation raises nothing new: its operands and its
 * result are plain, neither infinite nor denormal nor NaN, so that it can only be inexact, and that flag is set already.
 * A product of zero may have underflowed unless a factor is zero; a sum or a difference never does (SDM vol. 1, 4.9.1,
 * 11.5).
 */
import type { FloatMacroName } from "../../../isa/ir/index.ts";
import type { Code } from "../../../isa/wasm/index.ts";
import { constant } from "./float-paths.ts";
import { type Lanes, lanesOf, splat } from "./float-repair.ts";

interface FlagRule {
  /** Whether it may be inexact. */
  readonly rounds: boolean;
  /** What a result must be for nothing else to have been raised, given plain operands. */
  readonly result: "any" | "plain" | "product" | "nonzero" | "integer";
}
const exact: FlagRule = { rounds: false, result: "any" };
const sum: FlagRule = { rounds: true, result: "plain" };
const product: FlagRule = { rounds: true, result: "product" };
const narrowed: FlagRule = { rounds: true, result: "nonzero" };
const integer: FlagRule = { rounds: true, result: "integer" };

/** By the last part of a macro's name. */
const rules: Readonly<Record<string, FlagRule>> = {
  add: sum,
  sub: sum,
  addsub: sum,
  sqrt: sum,
  round: sum,
  mul: product,
  div: product,
  fused: narrowed,
  min: exact,
  max: exact,
  compare: exact,
  order: exact,
  from_f32: exact,
  from_f32x4: exact,
  from_f16x4: exact,
  to_f16x4: exact,
  from_f64: narrowed,
  from_f64x2: narrowed,
  from_i32: sum,
  from_i64: sum,
  from_i32x4: sum,
  to_i32: integer,
  to_i64: integer,
  to_i32x4: integer,
  trunc_i32: integer,
  trunc_i64: integer,
  trunc_i32x4: integer,
};
const operationOf = (name: FloatMacroName): string => name.split(".")[2]!;
export const flagRuleOf = (name: FloatMacroName): FlagRule => rules[operationOf(name)]!;

const limits = {
  f32: { lowest: 0x0080_0000n, infinite: 0x7f80_0000n },
  f64: { lowest: 0x0010_0000_0000_0000n, infinite: 0x7ff0_0000_0000_0000n },
} as const;

/** Writes lane by lane, or for a scalar, what ends in one answer. */
class Lanewise {
  readonly #c: Code;
  readonly #lanes: Lanes;
  readonly #scalar: "f32" | "f64";
  readonly #isVector: boolean;

  constructor(c: Code, lanes: Lanes) {
    this.#c = c;
    this.#lanes = lanes;
    this.#scalar = lanes.startsWith("f32") ? "f32" : "f64";
    this.#isVector = lanes !== this.#scalar;
  }
  get limits(): (typeof limits)["f32" | "f64"] {
    return limits[this.#scalar];
  }
  local(): number {
    return this.#c.local(this.#isVector ? "v128" : this.#scalar);
  }
  /** Whether what is on the stack, or in the local, compares so with a number. */
  compare(how: "eq" | "ne" | "lt" | "ge", bits: bigint, local?: number): void {
    if (local !== undefined) this.#c.get(local);
    if (this.#isVector) this.#c.v128(splat(this.#scalar, bits));
    else constant(this.#c, this.#scalar, bits);
    this.#c.op(`${this.#lanes}.${how}`);
  }
  join(how: "and" | "or"): void {
    this.#c.op(this.#isVector ? `v128.${how}` : `i32.${how}`);
  }
  /** Leaves i32 1 if all lanes say so. */
  all(): void {
    if (this.#isVector) this.#c.op(this.#scalar === "f32" ? "i32x4.all_true" : "i64x2.all_true");
  }
}

/** Leaves i32 1 if the value in `local` is plain in all lanes. */
function emitIsPlain(c: Code, local: number, lanes: Lanes, isZeroPlain: boolean): void {
  const write = new Lanewise(c, lanes);
  const size = write.local();
  c.get(local).op(`${lanes}.abs`).tee(size);
  write.compare("ge", write.limits.lowest);
  write.compare("lt", write.limits.infinite, size);
  write.join("and");
  if (isZeroPlain) {
    write.compare("eq", 0n, size);
    write.join("or");
  }
  write.all();
}

/** Leaves i32 1 if every lane is zero only where an operand's is. */
function emitKeepsZeros(c: Code, value: number, operands: readonly number[], lanes: Lanes): void {
  const write = new Lanewise(c, lanes);
  write.compare("ne", 0n, value);
  for (const operand of operands) {
    write.compare("eq", 0n, operand);
    write.join("or");
  }
  write.all();
}

/** Leaves i32 1 if an operand's flags are for the long way to find out. */
export function emitOperandsMayRaise(c: Code, name: FloatMacroName, operands: readonly number[]): void {
  const source = /\.from_(\w+)$/.exec(name)?.[1] ?? lanesOf(name);
  if (source.startsWith("i")) return void c.i32(0);
  for (const [i, operand] of operands.entries()) {
    emitIsPlain(c, operand, source as Lanes, true);
    if (i > 0) c.op("i32.and");
  }
  c.op("i32.eqz");
}

/** Leaves i32 1 if the flags of this result are. */
export function emitResultMayRaise(c: Code, name: FloatMacroName, operands: readonly number[], value: number): void {
  const { result } = flagRuleOf(name);
  if (result === "any") return void c.i32(0);
  if (result === "integer") return emitIsIndefinite(c, name, value);
  emitIsPlain(c, value, lanesOf(name), result !== "nonzero");
  if (result === "product") {
    emitKeepsZeros(c, value, operands, lanesOf(name));
    c.op("i32.and");
  }
  c.op("i32.eqz");
}

/** Leaves i32 1 if an integer is what stands for "does not fit". */
function emitIsIndefinite(c: Code, name: FloatMacroName, value: number): void {
  const width = /(i32x4|i32|i64)$/.exec(name)![1] as "i32x4" | "i32" | "i64";
  c.get(value);
  if (width === "i32") c.i32(0x8000_0000 | 0).op("i32.eq");
  else if (width === "i64") c.i64(-(1n << 63n)).op("i64.eq");
  else c.v128(splat("f32", 0x8000_0000n)).op("i32x4.eq").op("v128.any_true");
}
