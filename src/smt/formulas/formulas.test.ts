/** Formulas over terms against WebAssembly and the runtime's macros: on edges and on random operands. */
import { expect, test } from "vitest";
import { next32, type RandomState, seedRandom } from "../../base/index.ts";
import { type MacroName, macros, NumberAlgebra } from "../../isa/ir/index.ts";
import { type NumericName, numeric, type ValueType } from "../../isa/wasm/index.ts";
import { evaluateTerm, type Term, Terms } from "../index.ts";
import type { Formula } from "./formula.ts";
import { laneFormulas, shuffled } from "./lane-formulas.ts";
import { macroFormulas } from "./macro-formulas.ts";
import { scalarFormulas } from "./scalar-formulas.ts";

const seed = Number(process.env.SEED ?? 0);
const numbers = new NumberAlgebra();
const bits: Readonly<Record<ValueType, number>> = { i32: 32, i64: 64, f32: 32, f64: 64, v128: 128 };
const formulas = { ...scalarFormulas, ...laneFormulas };

/** Bytes at the edges of signed and unsigned numbers, or any. */
function drawBits(width: number, random: RandomState): bigint {
  const edges = [0x00n, 0xffn, 0x80n, 0x7fn, 0x01n, 0x08n];
  const whole = next32(random) % 3 === 0;
  let value = 0n;
  for (let at = 0; at < width; at += 8) {
    const any = BigInt(next32(random) & 0xff);
    value = (value << 8n) | (whole ? edges[next32(random) % edges.length]! : any);
  }
  return next32(random) % 4 === 0 ? value & 0xffn : value;
}

/** What a formula is worth, once over variables and once over constants. */
function worth(formula: Formula, values: readonly bigint[], widths: readonly number[], lane: number) {
  const t = new Terms();
  const variables = widths.map((width, i) => t.variable(width, `v${i}`));
  const given = new Map<Term, bigint>(variables.map((variable, i) => [variable, values[i]!]));
  const general = evaluateTerm(formula(t, variables, lane), (variable) => given.get(variable)!);
  const constants = widths.map((width, i) => t.constant(width, values[i]!));
  const folded = formula(t, constants, lane);
  return { general, folded: folded.op === "constant" ? folded.value : undefined, sort: folded.sort };
}

const isFloat = (name: string): boolean => /(^|\.|_)f(32|64)/.test(name.replace(/reinterpret_|_lane$/, ""));

test("every integer operation has a formula, and no float operation", () => {
  const movesFloats = /reinterpret|splat|(extract|replace)_lane/;
  const lacking = (Object.keys(numeric) as NumericName[]).filter((name) => formulas[name] === undefined);
  expect(lacking.filter((name) => !isFloat(name) || movesFloats.test(name))).toEqual([]);
  expect(lacking.length).toBeGreaterThan(100);
});

const names = (Object.keys(numeric) as NumericName[]).filter((name) => formulas[name] !== undefined);

test.each(["i32", "i64", "v128", "i8x16", "i16x8", "i32x4", "i64x2", "f"])("%s…", (kind) => {
  const random = seedRandom(seed);
  const tried = names.filter((name) => name.startsWith(kind === "f" ? "f" : `${kind}.`));
  expect(tried.length).toBeGreaterThan(0);
  for (const name of tried) {
    const { params, result, lane: hasLane } = numeric[name];
    for (let i = 0; i < 12; i++) {
      const values = params.map((type) => drawBits(bits[type], random));
      const lane = hasLane ? next32(random) % (128 / Number(/^[if](\d+)/.exec(name)![1])) : 0;
      const isDivision = /div_|rem_/.test(name);
      const least = 1n << BigInt(bits[params[0]!] - 1);
      if (isDivision && (values[1] === 0n || (name.endsWith("div_s") && values[0] === least))) continue;
      const right = numbers.numeric(name, values, hasLane ? lane : undefined);
      const made = worth(formulas[name]!, values, params.map((type) => bits[type]), lane); // biome-ignore format: one case
      const about = `${name} ${lane} of ${values.map((value) => value.toString(16))}, seed ${seed}`;
      expect(made, about).toEqual({ general: right, folded: right, sort: bits[result] });
    }
  }
});

test("shuffles", () => {
  const random = seedRandom(seed);
  for (let i = 0; i < 20; i++) {
    const lanes = Array.from({ length: 16 }, () => next32(random) % 32);
    const values = [drawBits(128, random), drawBits(128, random)];
    const made = worth((t, [a, b]) => shuffled(t, a!, b!, lanes), values, [128, 128], 0);
    expect(made.general, `${lanes}, seed ${seed}`).toBe(numbers.shuffle(values[0]!, values[1]!, lanes));
  }
});

/** By schoolbook arithmetic over integers of any size. */
const truth: Partial<Record<MacroName, (values: readonly bigint[]) => bigint>> = {
  "x86.mul_high_u": ([a, b]) => (a! * b!) >> 64n,
  "x86.mul_high_s": ([a, b]) => (BigInt.asIntN(64, a!) * BigInt.asIntN(64, b!)) >> 64n,
  "x86.div128_u": ([low, high, by]) => ((high! << 64n) | low!) / by!,
  "x86.rem128_u": ([low, high, by]) => ((high! << 64n) | low!) % by!,
  "x86.div128_s": ([low, high, by]) => BigInt.asIntN(128, (high! << 64n) | low!) / BigInt.asIntN(64, by!),
  "x86.rem128_s": ([low, high, by]) => BigInt.asIntN(128, (high! << 64n) | low!) % BigInt.asIntN(64, by!),
  "x86.div128_s_overflows": ([low, high, by]) => {
    const quotient = BigInt.asIntN(128, (high! << 64n) | low!) / BigInt.asIntN(64, by!);
    return quotient === BigInt.asIntN(64, quotient) ? 0n : 1n;
  },
};

test("macros", () => {
  const random = seedRandom(seed);
  for (const [name, formula] of Object.entries(macroFormulas)) {
    const { params, result } = macros[name as MacroName];
    const meaning = truth[name as MacroName];
    for (let i = 0; i < 60 && meaning !== undefined; i++) {
      const values = params.map((type) => drawBits(bits[type], random));
      if (values.length === 3 && values[2] === 0n) continue;
      const right = BigInt.asUintN(bits[result], meaning(values));
      const made = worth(formula, values, params.map((type) => bits[type]), 0); // biome-ignore format: one case
      expect(made.general, `${name} of ${values.map((value) => value.toString(16))}, seed ${seed}`).toBe(right);
    }
  }
});

test.each([0, 1])("elements before the first zero, control %i", (control) => {
  const random = seedRandom(seed);
  const size = control === 0 ? 8n : 16n;
  for (let length = 0; length <= 128 / Number(size); length++) {
    let vector = 0n;
    for (let i = 0n; i < 128n / size; i++)
      vector |= (i < length ? 1n + BigInt(next32(random) % 200) : 0n) << (i * size);
    const t = new Terms();
    const variable = t.variable(128, "vector");
    const found = macroFormulas["x86.string.length"]!(t, [variable, t.constant(32, BigInt(control))], 0);
    expect(evaluateTerm(found, () => vector)).toBe(BigInt(length));
  }
});
