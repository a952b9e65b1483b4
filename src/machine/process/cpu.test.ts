/** Flags and floating-point images, on every pair of bytes and on the way there and back. */
import { expect, test } from "vitest";
import { below, next64, seedRandom } from "../../base/index.ts";
import { type FlagsKind, flagsCode } from "../../isa/ir/index.ts";
import { GuestMemory } from "../memory/index.ts";
import { Cpu, gpr } from "./cpu.ts";
import { arithmeticBits } from "./flags.ts";

const [C, P, A, Z, S, O] = [1, 4, 16, 64, 128, 2048] as const;
const signed = (value: number) => (value << 24) >> 24;

/** Flags straight from the definitions, on bytes. */
function reference(kind: "add" | "sub" | "adc" | "sbb", left: number, right: number, carry: number): number {
  const adds = kind === "add" || kind === "adc";
  const total = adds ? left + right + carry : left - right - carry;
  const wide = adds ? signed(left) + signed(right) + carry : signed(left) - signed(right) - carry;
  const nibble = adds ? (left & 15) + (right & 15) + carry : (left & 15) - (right & 15) - carry;
  const result = total & 255;
  const ones = [...result.toString(2)].filter((digit) => digit === "1").length;
  return (
    (total < 0 || total > 255 ? C : 0) |
    (ones % 2 === 0 ? P : 0) |
    (nibble < 0 || nibble > 15 ? A : 0) |
    (result === 0 ? Z : 0) |
    (result & 128 ? S : 0) |
    (wide < -128 || wide > 127 ? O : 0)
  );
}

const evaluate = (kind: FlagsKind, left: number, right: number, result: number) =>
  arithmeticBits({ code: flagsCode(kind, 8), left: BigInt(left), right: BigInt(right), result: BigInt(result & 255) });

test("sums and differences of all bytes", () => {
  const wrong: string[] = [];
  const check = (kind: "add" | "sub" | "adc" | "sbb", left: number, right: number, carry: number, result: number) => {
    if (evaluate(kind, left, right, result) !== reference(kind, left, right, carry))
      wrong.push(`${kind} ${left} ${right}`);
  };
  for (let left = 0; left < 256; left++) {
    for (let right = 0; right < 256; right++) {
      check("add", left, right, 0, left + right);
      check("sub", left, right, 0, left - right);
      for (const carry of [0, 1]) {
        check("adc", left, right, carry, left + right + carry);
        check("sbb", left, right, carry, left - right - carry);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("increments keep the carry", () => {
  for (let value = 0; value < 256; value++) {
    for (const carry of [0, 1]) {
      expect(evaluate("inc", carry, 0, value + 1)).toBe((reference("add", value, 1, 0) & ~C) | carry);
      expect(evaluate("dec", carry, 0, value - 1)).toBe((reference("sub", value, 1, 0) & ~C) | carry);
    }
  }
});

test("shifts put the last bit out into the carry", () => {
  for (let value = 0; value < 256; value++) {
    for (let count = 1; count < 8; count++) {
      const left = value << count;
      expect(evaluate("shl", value, count, left) & C).toBe((left >> 8) & 1);
      expect(evaluate("shr", value, count, value >> count) & C).toBe((value >> (count - 1)) & 1);
      expect(evaluate("sar", value, count, signed(value) >> count) & C).toBe((value >> (count - 1)) & 1);
    }
    expect((evaluate("shl", value, 1, value << 1) & O) !== 0).toBe(((value ^ (value << 1)) & 128) !== 0);
    expect((evaluate("shr", value, 1, value >> 1) & O) !== 0).toBe((value & 128) !== 0);
  }
});

test("eflags come back as they were set", () => {
  const cpu = new Cpu(new GuestMemory());
  for (const flags of [0, C | Z, P | A | S | O, 0x400, 0x20_0000, 0x4_0cd5]) {
    cpu.eflags = flags;
    expect(cpu.eflags).toBe(flags | 0x202);
  }
});

const seed = 7;
test(`a floating-point image restores what it saved (seed ${seed})`, () => {
  const random = seedRandom(seed);
  const cpu = new Cpu(new GuestMemory());
  cpu.clear();
  const initial = cpu.saveFloatingPoint();
  expect([initial[0], initial[1], initial[4], initial[24], initial[25]]).toEqual([0x7f, 3, 0, 0x80, 0x1f]);
  const image = initial.map((byte, index) => (index >= 160 && index < 416 ? below(random, 256) : byte));
  const view = new DataView(image.buffer);
  view.setUint16(2, 5 << 11, true);
  image[4] = 0b1110_0000;
  for (let i = 0; i < 3; i++) view.setBigUint64(32 + 16 * i, next64(random), true);
  cpu.loadFloatingPoint(image);
  expect(cpu.saveFloatingPoint()).toEqual(image);
});

test("a saved state brings back every register", () => {
  const cpu = new Cpu(new GuestMemory());
  cpu.clear();
  cpu.setGpr(gpr.r15, 15n);
  cpu.rip = 2n ** 63n;
  cpu.fsBase = 77n;
  const saved = cpu.save();
  cpu.clear();
  expect(cpu.rip).toBe(0n);
  cpu.load(saved);
  expect([cpu.gpr(gpr.r15), cpu.rip, cpu.fsBase]).toEqual([15n, 2n ** 63n, 77n]);
});
