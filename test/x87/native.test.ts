/** Every x87 row against the processor this runs on: registers, tags, status, memory, flags and #MF must be equal. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedRandom } from "../../src/base/index.ts";
import { randomCase } from "./cases.ts";
import { differences } from "./compare.ts";
import { encodings } from "./encodings.ts";
import { NativeUnit } from "./harness.ts";

const SEED = Number(process.env.SEED ?? 1);
const INPUTS = Number(process.env.INPUTS ?? 1000);

let native: NativeUnit;
beforeAll(() => {
  native = new NativeUnit(encodings);
}, 120_000);
afterAll(() => native.remove());

describe.runIf(process.arch === "x64")(`x87 against this processor, seed ${SEED}`, () => {
  test.each(encodings.map((row, index) => ({ name: row.name, row, index })))("$name", ({ row, index }) => {
    const random = seedRandom(SEED * 1000 + index);
    const cases = Array.from({ length: INPUTS }, () => randomCase(random, row));
    const wrong = differences(row, cases, native.run(row, cases));
    expect(wrong.slice(0, 4), `${wrong.length} of ${INPUTS} differ`).toEqual([]);
  });
});
