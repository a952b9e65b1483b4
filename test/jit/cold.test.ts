/** What hardly ever ran is not compiled along with what did; when its time comes it is, and the two go hand in hand. */
import { expect, test } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { assemble } from "../support/assemble.ts";
import { code, machineWith, stateOf } from "./machine.ts";

const hotAfter = 200;
/** `rare` runs once in 128 rounds at first, and in every round later; a carry from before it is looked at behind it. */
const beforeRare = `
    xor ecx, ecx
    xor edx, edx
  again: mov eax, ecx
    shr eax, 12
    jnz 1f
    test ecx, 127
    jnz common
  1: bt ecx, 1
`;
const program = `${beforeRare}
  rare: lea edx, [rdx+rcx]
    jmp behind
  common: inc edx
    stc
  behind: adc edx, 3
    inc ecx
    cmp ecx, 9000
    jne again
    syscall`;

/** The block with the rare path starts with BT, which takes four bytes. */
const rareBlock = code + assemble(beforeRare.replace("common", "1f"), code).length - 4;

function runThrough(hot: number, nextStep: () => number) {
  const machine = machineWith(assemble(program, code), hot);
  for (let total = 0; ; ) {
    const { event, retired } = machine.processor.run(nextStep());
    total += retired;
    if (event.kind !== "done") return { event, total, compiled: machine.compiled, state: stateOf(machine) };
  }
}

const whole = () => 1_000_000;
const interpreted = runThrough(0, whole);

test("a rare path gets a region of its own once it is hot", () => {
  const { compiled, ...result } = runThrough(hotAfter, whole);
  expect(compiled).toContain(rareBlock);
  expect(compiled.length).toBeGreaterThan(1);
  expect({ ...result, compiled: [] }).toEqual(interpreted);
});

test("the same, cut into short runs", () => {
  const random = seedRandom(11);
  const { compiled, ...result } = runThrough(hotAfter, () => 1 + below(random, 3000));
  expect(compiled.length).toBeGreaterThan(1);
  expect({ ...result, compiled: [] }).toEqual(interpreted);
});
