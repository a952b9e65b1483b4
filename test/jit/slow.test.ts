/**
 * Accesses that cannot go straight to memory leave their region; where they do so often the region is written anew, with
 * ways of their own for them, and nothing of it is seen in the result.
 */
import { expect, test } from "vitest";
import { info } from "../../src/machine/runtime/index.ts";
import { data, machineWith, stateOf, withRealTier } from "./machine.ts";

/** Rounds that store to the first data page, read it again, and count in the second. */
const program = (rounds: number) => `
    mov edi, ${data}
    xor ecx, ecx
  again: mov [rdi+8], rcx
    mov [rdi+16], rcx
    add rax, [rdi+8]
    inc dword ptr [rdi+4096]
    inc ecx
    cmp ecx, ${rounds}
    jne again
    syscall`;

function runThrough(hotAfter: number, rounds: number, makeSlow: (machine: ReturnType<typeof machineWith>) => void) {
  const machine = machineWith(program(rounds), hotAfter);
  const { memory, processor } = machine;
  const tier = withRealTier(machine);
  makeSlow(machine);
  const { event, retired } = processor.run(1_000_000);
  return { result: { event, retired, state: stateOf(machine) }, regions: tier.regions };
}

const persistent = ({ memory }: ReturnType<typeof machineWith>) => memory.setBits(data, 4096, info.persistent, true);

test("a loop that stores to persistent memory is written anew once, and does the same", () => {
  const { result, regions } = runThrough(10, 5000, persistent);
  expect(result).toEqual(runThrough(0, 5000, persistent).result);
  expect(regions).toBe(2);
});

test("the same with few rounds stays as it is", () => {
  const { result, regions } = runThrough(10, 60, persistent);
  expect(result).toEqual(runThrough(0, 60, persistent).result);
  expect(regions).toBe(1);
});

test("the first stores after a snapshot are too few to write anything anew", () => {
  const clean = ({ memory }: ReturnType<typeof machineWith>) => void memory.snapshot();
  const { result, regions } = runThrough(10, 5000, clean);
  expect(result).toEqual(runThrough(0, 5000, clean).result);
  expect(regions).toBe(1);
});
