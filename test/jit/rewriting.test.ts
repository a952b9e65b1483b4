/**
 * A program that rewrites its own code: what was made of a page goes with it, blocks and regions, and what was made of
 * others stays and leads to what is there now. The twin is arithmetic.
 */
import { expect, test } from "vitest";
import { assemble } from "../support/assemble.ts";
import { code, machineWith, stateOf, withRealTier } from "./machine.ts";

const pages = 8;
const rounds = 4000;
const multiplier = 1103515245;
const increment = 12345;

/** A chain of additions, one on each page, is run each round; now and then one of the numbers is stored over. */
const program = (changedIn: number) => `
    mov ebp, 1
    mov r12d, ${rounds}
  again: imul ebp, ebp, ${multiplier}
    add ebp, ${increment}
    mov ecx, ebp
    shr ecx, 16
    test ecx, ${changedIn - 1}
    jnz 1f
    mov edx, ebp
    shr edx, 28
    and edx, ${pages - 1}
    shl edx, 12
    mov dword ptr [rdx+links+1], ecx
  1: call links
    dec r12d
    jnz again
    syscall
  .balign 4096
  links:
  ${Array.from({ length: pages }, (_, page) => `.balign 4096\nlink${page}: add eax, 0x12345678\n${page + 1 < pages ? `jmp link${page + 1}` : "ret"}`).join("\n")}`;

function expected(changedIn: number): bigint {
  const numbers = Array.from({ length: pages }, () => 0x12345678);
  let [x, sum] = [1, 0];
  for (let round = 0; round < rounds; round++) {
    x = (Math.imul(x, multiplier) + increment) >>> 0;
    if ((x >>> 16) % changedIn === 0) numbers[(x >>> 28) % pages] = x >>> 16;
    for (const number of numbers) sum = (sum + number) >>> 0;
  }
  return BigInt(sum);
}

function run(bytes: Uint8Array, hotAfter: number) {
  const machine = machineWith(bytes, hotAfter);
  const { memory, processor } = machine;
  const tier = withRealTier(machine);
  const { event, retired } = processor.run(10_000_000);
  return { result: { event, retired, state: stateOf(machine) }, sum: machine.get(0), regions: tier.regions };
}

test.each([1, 4, 64, 1024])("a number in one of %i rounds", (changedIn) => {
  const bytes = assemble(program(changedIn), code);
  const interpreted = run(bytes, 0);
  const compiled = run(bytes, 10);
  expect(interpreted.sum).toBe(expected(changedIn));
  expect(compiled.result).toEqual(interpreted.result);
  expect(compiled.regions).toBeGreaterThan(1);
});
