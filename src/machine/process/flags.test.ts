/** Flags as WebAssembly and as TypeScript work them out, CF and OF beside the code included; products by definition. */
import { expect, test } from "vitest";
import { below, next64, pick, seedRandom } from "../../base/index.ts";
import {
  arithmeticMask,
  carryNoted,
  carryShift,
  eflagsBit,
  flagQuestion,
  flagsCode,
  flagsKinds,
  overflowShift,
  widths,
} from "../../isa/ir/index.ts";
import { GuestMemory } from "../memory/index.ts";
import { createFloatHelpers, createRuntime } from "../runtime/index.ts";
import { arithmeticBits } from "./flags.ts";

const { wasm } = new GuestMemory();
const nothing = () => 0;
const runtime = createRuntime(wasm, {
  touch: nothing,
  mirror: nothing,
  emptyEvents: nothing,
  usesFull: nothing,
  complex: nothing,
  slow: () => undefined,
  helpers: createFloatHelpers(wasm.buffer),
});
const flag = runtime.exports.flag as (
  which: number,
  code: number,
  left: bigint,
  right: bigint,
  result: bigint,
) => number;

const seed = 41;
const random = seedRandom(seed);
const edges = [0n, 1n, 2n, 0x7fn, 0x80n, 0xb5n, 0x7fff_ffffn, 0x8000_0000n, 1n << 62n, 1n << 63n, -1n];
const operand = (width: number): bigint =>
  BigInt.asUintN(width, below(random, 2) ? pick(random, edges) : next64(random));

test(`both agree for every kind and width (seed ${seed})`, () => {
  for (const kind of flagsKinds)
    for (const width of widths)
      for (let round = 0; round < 300; round++) {
        const beside = below(random, 2) ? carryNoted | (below(random, 4) << carryShift) : 0;
        const code = flagsCode(kind, width) | beside;
        const isShift = kind === "shl" || kind === "shr" || kind === "sar";
        const noted = {
          left: operand(width),
          right: isShift ? BigInt(1 + below(random, width - 1)) : operand(width),
          result: operand(width),
        };
        const { left, right, result } = noted;
        expect(flag(flagQuestion("all"), code, left, right, result), `${kind} ${width} ${code}`).toBe(
          arithmeticBits({ code, ...noted }),
        );
      }
});

test("a product overflows when it is not the full one", () => {
  for (const width of widths)
    for (let round = 0; round < 300; round++) {
      const [left, right] = [operand(width), operand(width)];
      const full = BigInt.asIntN(width, left) * BigInt.asIntN(width, right);
      const noted = { code: flagsCode("imul", width), left, right, result: BigInt.asUintN(width, full) };
      expect(arithmeticBits(noted)).toBe(full === BigInt.asIntN(width, full) ? 0 : 0x801);
    }
});

test("CF and OF beside the code replace those of the operands, and no other flag", () => {
  const others = arithmeticMask & ~0x801;
  const noted = { left: 0xffn, right: 1n, result: 0n };
  const plain = arithmeticBits({ code: flagsCode("add", 8), ...noted });
  for (const carry of [0, 1])
    for (const overflow of [0, 1]) {
      const code = flagsCode("add", 8) | carryNoted | (carry << carryShift) | (overflow << overflowShift);
      const expected = (plain & others) | (carry << eflagsBit.c) | (overflow << eflagsBit.o);
      expect(arithmeticBits({ code, ...noted })).toBe(expected);
    }
});
