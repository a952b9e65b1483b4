/**
 * Transcendental rows against the processor. The SDM promises results within 1 ulp, and processors differ within that, so
 * register values may differ by one unit in the last place and C1 (rounded up) is not compared. Everything else is:
 * special operands, all flags, stack faults, C2, and the reduction by a 66-bit pi however large the argument.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { roundSmallestSine } from "../../tools/cpu-harness/other-answers.ts";
import { ordinal } from "../../tools/cpu-harness/tolerance.ts";
import { randomCase, writeExtended } from "./cases.ts";
import { differences } from "./compare.ts";
import { type Encoding, transcendentalEncodings } from "./encodings.ts";
import { type Case, NativeUnit, type Outcome } from "./harness.ts";

const SEED = Number(process.env.SEED ?? 1);
const INPUTS = Number(process.env.INPUTS ?? 1000);
const C1 = 0x200;

function closeEnough(native: string, ours: string): boolean {
  const [left, right] = [native, ours].map((register) => {
    const [high, low] = register.split(":").map((part) => BigInt(`0x${part}`)) as [bigint, bigint];
    return ordinal(low, Number(high));
  }) as [bigint, bigint];
  return left - right <= 1n && right - left <= 1n;
}

function same(key: string, native: string, ours: string): boolean {
  if (key === "status") return (Number(`0x${native}`) | C1) === (Number(`0x${ours}`) | C1);
  if (key !== "registers") return native === ours;
  const others = ours.split(" ");
  return native.split(" ").every((register, i) => closeEnough(register, others[i] as string));
}

/** What Intel's processors make of our outcome where they differ from AMD's (tools/cpu-harness/processors.ts). */
function asIntel(row: Encoding, one: Case, ours: Outcome): Outcome {
  const sine = ["Fsin", "Fsincos"].indexOf(row.name);
  if (sine < 0 || ours.trapped) return ours;
  const image = Buffer.from(ours.image);
  roundSmallestSine(viewOf(one.image), viewOf(image), sine as 0 | 1);
  return { ...ours, image };
}

const viewOf = (bytes: Buffer) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Half the cases get ordinary arguments: the edge values of `randomCase` seldom reach the series. */
function ordinaryCase(random: RandomState, one: Case): Case {
  if (below(random, 2) === 0) return one;
  for (const at of [32, 48]) {
    writeExtended(random, one.image, at, 0x3fff);
    const exponent =
      0x3fff + pick(random, [0, -1, -2, -3, below(random, 10) - 5, below(random, 63), -below(random, 70)]);
    one.image.writeUInt16LE(exponent | (below(random, 2) << 15), at + 8);
    one.image.writeBigUInt64LE(one.image.readBigUInt64LE(at) | (1n << 63n), at);
  }
  return one;
}

let native: NativeUnit;
beforeAll(() => {
  native = new NativeUnit(transcendentalEncodings);
}, 120_000);
afterAll(() => native.remove());

describe.runIf(process.arch === "x64")(`transcendental x87 against this processor, seed ${SEED}`, () => {
  test.each(transcendentalEncodings.map((row, index) => ({ name: row.name, row, index })))(
    "$name within 1 ulp",
    ({ row, index }) => {
      const random = seedRandom(SEED * 1000 + index);
      const cases = Array.from({ length: INPUTS }, () => ordinaryCase(random, randomCase(random, row)));
      const wrong = differences(row, cases, native.run(row, cases), { same, other: asIntel });
      expect(wrong.slice(0, 4), `${wrong.length} of ${INPUTS} differ`).toEqual([]);
    },
  );
});
