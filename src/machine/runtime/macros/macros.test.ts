import { describe, expect, it } from "vitest";
import { createMemory, next32, next64, pick, type RandomState, seedRandom } from "../../../base/index.ts";
import {
  cpuOffset,
  type FloatMacroName,
  floatMacroNames,
  floatMacros,
  type HelperName,
  helpers,
  type MacroName,
  macros,
} from "../../../isa/ir/index.ts";
import { sseFused } from "../../../isa/softfloat/index.ts";
import { Code, type MemoryOp, ModuleBuilder, type ValueType } from "../../../isa/wasm/index.ts";
import { cell, layout } from "../layout.ts";
import { createFloatHelpers, macroBodies } from "./index.ts";

const SEED = Number(process.env["SEED"] ?? 1);
const FUSED = Number(process.env["FUSED"] ?? 20_000);

const macroNames = Object.keys(macros) as MacroName[];
const memory = createMemory(3);
const cpu = new DataView(memory.buffer, layout.cpu);
const float = createFloatHelpers(memory.buffer);
const [first, second, third, fourth, fifth, answer] = [2048, 2064, 2080, 2096, 2112, 2128];
const argumentCells = [first, second, third, fourth, fifth];

/** Every macro behind a wrapper that takes its arguments from memory and leaves its result there. */
function instantiate(): Record<string, () => void> {
  const module = new ModuleBuilder();
  module.importMemory("host", "memory", 3);
  const imports = new Map<HelperName, number>();
  for (const name of Object.keys(helpers) as HelperName[])
    imports.set(name, module.importFunction("helper", name, { ...helpers[name], results: [helpers[name].result] }));
  const indices = new Map<MacroName, number>();
  for (const name of macroNames)
    indices.set(name, module.declare({ params: macros[name].params, results: [macros[name].result] }));
  const context = {
    macro: (name: MacroName) => indices.get(name)!,
    helper: (name: HelperName) => imports.get(name)!,
  };
  for (const name of macroNames) {
    module.define(indices.get(name)!, macroBodies[name](context));
    const wrapper = new Code();
    const { params, result } = macros[name] as { params: readonly ValueType[]; result: ValueType };
    wrapper.i32(0);
    for (const [i, type] of params.entries())
      wrapper.i32(0).memory(`${type}.load` as MemoryOp, layout.cpu + argumentCells[i]!);
    wrapper.call(indices.get(name)!).memory(`${result}.store` as MemoryOp, layout.cpu + answer);
    module.exportFunction(name, module.function({ params: [], results: [] }, wrapper));
  }
  const unused = () => {
    throw new Error("not a helper of macros");
  };
  const helper = Object.fromEntries(Object.keys(helpers).map((name) => [name, unused]));
  const instance = new WebAssembly.Instance(new WebAssembly.Module(module.build()), {
    host: { memory },
    helper: { ...helper, ...float },
  });
  return instance.exports as Record<string, () => void>;
}

const run = instantiate();
const resultSize = { i32: 4, i64: 8, f32: 4, f64: 8, v128: 16 } as const;

/** Arguments and result as bit patterns. */
function call(name: MacroName, ...args: bigint[]): bigint {
  for (const [i, arg] of args.entries()) {
    cpu.setBigUint64(argumentCells[i]!, BigInt.asUintN(64, arg), true);
    cpu.setBigUint64(argumentCells[i]! + 8, BigInt.asUintN(64, arg >> 64n), true);
  }
  run[name]!();
  const size = resultSize[macros[name].result];
  let bits = 0n;
  for (let i = size - 4; i >= 0; i -= 4) bits = (bits << 32n) | BigInt(cpu.getUint32(answer + i, true));
  return bits;
}

const unsigned = (value: bigint) => BigInt.asUintN(64, value);

describe("128-bit integer macros", () => {
  const interesting = [0n, 1n, 2n, 0xffffffffn, 1n << 32n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n];
  const operand = (random: RandomState) =>
    next32(random) % 3 === 0 ? pick(random, interesting) : next64(random) >> BigInt(next32(random) % 64);

  it.each([1, 2, 3])("agree with bigints, seed %d", (seed) => {
    const random = seedRandom(seed);
    for (let i = 0; i < 3000; i++) {
      const [a, b, c] = [operand(random), operand(random), operand(random)];
      const [sa, sb, sc] = [a, b, c].map((x) => BigInt.asIntN(64, x)) as [bigint, bigint, bigint];
      expect(call("x86.mul_high_u", a, b)).toBe((a * b) >> 64n);
      expect(call("x86.mul_high_s", a, b)).toBe(unsigned((sa * sb) >> 64n));
      if (c === 0n) continue;
      if (b < c) {
        const dividend = (b << 64n) | a;
        expect(call("x86.div128_u", a, b, c)).toBe(dividend / c);
        expect(call("x86.rem128_u", a, b, c)).toBe(dividend % c);
      }
      const dividend = (sb << 64n) | a;
      const fits = BigInt.asIntN(64, dividend / sc) === dividend / sc;
      expect(call("x86.div128_s_overflows", a, b, c)).toBe(fits ? 0n : 1n);
      if (!fits) continue;
      expect(call("x86.div128_s", a, b, c)).toBe(unsigned(dividend / sc));
      expect(call("x86.rem128_s", a, b, c)).toBe(unsigned(dividend % sc));
    }
  });
});

describe("bits by a mask", () => {
  const ones = (mask: bigint) => Array.from({ length: 64 }, (_, i) => i).filter((i) => (mask >> BigInt(i)) & 1n);

  it("are gathered and spread", () => {
    const random = seedRandom(5);
    for (let i = 0; i < 500; i++) {
      const [value, mask] = [next64(random), next64(random) & (i % 2 ? next64(random) : -1n)];
      const bit = (from: bigint, at: number, to: number) => ((from >> BigInt(at)) & 1n) << BigInt(to);
      const gathered = ones(mask).reduce((sum, at, order) => sum | bit(value, at, order), 0n);
      const spread = ones(mask).reduce((sum, at, order) => sum | bit(value, order, at), 0n);
      expect(call("x86.extract_bits", value, mask)).toBe(gathered);
      expect(call("x86.deposit_bits", value, mask)).toBe(spread);
    }
  });
});

describe("floating-point macros", () => {
  // biome-ignore format: groups of like values
  const f32 = [
    0n, 0x80000000n, 1n, 0x80000001n, 0x7fffffn, 0x800000n, 0x3f800000n, 0xbf800000n, 0x3f000000n, 0x40200000n,
    0x7f7fffffn, 0xff7fffffn, 0x7f800000n, 0xff800000n, 0x7fc00000n, 0xffc12345n, 0x7f812345n, 0xff800001n,
    0x4f000000n, 0xcf000000n, 0xcf000001n, 0x5f000000n, 0xdf000000n, 0x4effffffn, 0x4b000001n,
  ];
  // biome-ignore format: groups of like values
  const f64 = [
    0n, 1n << 63n, 1n, 0x800fffffffffffffn, 0x10000000000000n, 0x3ff0000000000000n, 0xbff8000000000000n,
    0x4004000000000000n, 0x7fefffffffffffffn, 0x7ff0000000000000n, 0xfff0000000000000n, 0x7ff8000000000000n,
    0xfff8123456789abcn, 0x7ff0000000000001n, 0xfff4000020000000n, 0x41e0000000000000n, 0xc1e0000000000000n,
    0x41dfffffffe00000n, 0xc1e00000001fffffn, 0x43e0000000000000n, 0xc3e0000000000000n, 0x36a0000000000000n,
  ];
  const near = (random: RandomState, from: readonly bigint[], bits: bigint) => {
    const special = pick(random, from);
    const choice = next32(random) % 4;
    if (choice === 0) return next64(random) & ((1n << bits) - 1n);
    return choice === 1 ? special ^ BigInt(next32(random) % 4) : special;
  };
  const lane = (random: RandomState, type: string) =>
    type.startsWith("f32") ? near(random, f32, 32n) : near(random, f64, 64n);
  const operand = (random: RandomState, name: FloatMacroName, position: number) => {
    const type = floatMacros[name].params[position] as ValueType;
    if (type === "i32" || type === "i64") return pick(random, [...f32, ...f64, next64(random)]);
    const source = /from_(f\w+)/.exec(name)?.[1] ?? name.split(".")[1]!;
    if (type !== "v128") return lane(random, source);
    if (name.includes("from_i32")) return (next64(random) << 64n) | next64(random);
    if (source === "f64x2") return lane(random, "f64") | (lane(random, "f64") << 64n);
    return [0n, 32n, 64n, 96n].reduce((all, shift) => all | (lane(random, "f32") << shift), 0n);
  };

  it.each(floatMacroNames)("%s gives what exact software arithmetic gives", (name) => {
    const random = seedRandom(7);
    for (let i = 0; i < 1000; i++) {
      const args = floatMacros[name].params.map((_, position) => operand(random, name, position));
      const controlled = /round|compare|order|to_f16/.test(name);
      if (controlled) args[args.length - 1] = BigInt(next32(random) % 16);
      cpu.setUint32(cpuOffset.mxcsr, 0x1f80, true);
      const short = call(name, ...args);
      const operands = controlled ? args.slice(0, -1) : args;
      for (const [position, bits] of operands.entries()) {
        const at = [cell.floatLeft, cell.floatRight, cell.floatAddend][position]!;
        cpu.setBigUint64(at, BigInt.asUintN(64, bits), true);
        cpu.setBigUint64(at + 8, bits >> 64n, true);
      }
      float.sse(floatMacroNames.indexOf(name), controlled ? Number(args.at(-1)) : 0);
      const size = resultSize[floatMacros[name].result];
      let exact = 0n;
      for (let at = size - 4; at >= 0; at -= 4)
        exact = (exact << 32n) | BigInt(cpu.getUint32(cell.floatResult + at, true));
      expect(short.toString(16), `operation ${i} on ${args.map((arg) => arg.toString(16))}`).toBe(exact.toString(16));
    }
  });

  /** Terms that cancel but for a few last bits, that lie just beyond each other's last bit, or anywhere. */
  it.each(["f32", "f64"] as const)("x86.%s.fused rounds once", (type) => {
    const random = seedRandom(SEED);
    const codec = type === "f64" ? new Float64Array(1) : new Float32Array(1);
    const bitsOf = (value: number): bigint => {
      codec[0] = value;
      return type === "f64" ? new BigUint64Array(codec.buffer)[0]! : BigInt(new Uint32Array(codec.buffer)[0]!);
    };
    const digits = type === "f64" ? 53 : 24;
    const mantissa = () => Math.fround(next32(random)) + (type === "f64" ? next32(random) * 2 ** -32 : 0);
    const near = (spread: number) => (next32(random) % (2 * spread)) - spread;
    for (let i = 0; i < FUSED; i++) {
      const short = i % 3 === 0 ? 2 ** near(6) : 1;
      const [a, b] = [mantissa() * 2 ** near(20), i % 5 === 0 ? 2 ** near(30) : mantissa() * short];
      const product = a * b;
      const c = i % 2 ? -product : product * 2 ** near(2 * digits + 4) * (next32(random) % 2 ? 1 : -1);
      const args = [bitsOf(a), bitsOf(b), bitsOf(c) ^ BigInt(i % 7 < 3 ? next32(random) % 8 : 0)];
      cpu.setUint32(cpuOffset.mxcsr, 0x1f80, true);
      const made = call(`x86.${type}.fused`, ...args);
      const exact = sseFused(type === "f64" ? "binary64" : "binary32", args[0]!, args[1]!, args[2]!, 0x1f80).bits;
      if (made !== exact)
        expect(made.toString(16), `${args.map((arg) => arg.toString(16))}, seed ${SEED}`).toBe(exact.toString(16));
    }
  });

  it("raises status flags and asks for a trap only under other control bits", () => {
    const one = 0x3ff0000000000000n;
    cpu.setUint32(cpuOffset.mxcsr, 0x1f80, true);
    call("x86.f64.div", one, 0n);
    expect(cpu.getUint32(cpuOffset.mxcsr, true)).toBe(0x1f80);
    cpu.setUint32(cpuOffset.mxcsr, 0x1d80, true);
    call("x86.f64.div", one, 0n);
    expect(cpu.getUint32(cpuOffset.mxcsr, true)).toBe(0x1d84);
    expect(call("x86.float_trap", 0n)).toBe(1n);
    expect(call("x86.float_trap", 0n)).toBe(0n);
    // An inexact lane beside one that divides by zero, whichever comes first: the trap is for the division alone.
    const three = 0x4008000000000000n;
    for (const divisors of [
      [three, 0n],
      [0n, three],
    ] as const) {
      // biome-ignore format: two orders
      cpu.setUint32(cpuOffset.mxcsr, 0x1d80, true);
      call("x86.f64.div", one, divisors[0]);
      expect(call("x86.float_lane", 1n, 2n)).toBe(2n);
      call("x86.f64.div", one, divisors[1]);
      expect(cpu.getUint32(cpuOffset.mxcsr, true)).toBe(0x1d84);
      expect(call("x86.float_trap", 0n)).toBe(1n);
    }
    cpu.setUint32(cpuOffset.mxcsr, 0x5f80, true);
    expect(call("x86.f64.add", one, 1n)).toBe(one + 1n);
    expect(cpu.getUint32(cpuOffset.mxcsr, true)).toBe(0x5fa2);
  });
});
