/** Random guest programs end in the same state, after as many instructions, compiled as interpreted. */
import { expect, test } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { assemble } from "../support/assemble.ts";
import { randomProgram } from "./generate.ts";
import { code, machineWith, stateOf } from "./machine.ts";

function outcome(program: Uint8Array, hotAfter: number, batch: number, nextStep: () => number) {
  const machine = machineWith(program, hotAfter, batch);
  for (let total = 0; ; ) {
    const { event, retired } = machine.processor.run(nextStep());
    total += retired;
    if (event.kind === "done" && total < 300_000) continue;
    return { event, total, ...stateOf(machine) };
  }
}

const rounds = Number(process.env.JIT_ROUNDS ?? 40);
const firstSeed = Number(process.env.JIT_SEED ?? 1);

test.each(Array.from({ length: rounds }, (_, i) => firstSeed + i))("seed %i", (seed) => {
  const random = seedRandom(seed);
  const program = assemble(randomProgram(random), code);
  const expected = outcome(program, 0, 1, () => 300_000);
  expect(outcome(program, 2, 1, () => 300_000)).toEqual(expected);
  expect(outcome(program, 5, 4, () => 300_000)).toEqual(expected);
  expect(outcome(program, 3, 1, () => 1 + below(random, 400))).toEqual(expected);
});
