/**
 * A loop whose region MXCSR keeps from running is compiled anew so that it calls its floating-point operations, and then
 * does what the interpreter does: flags of results that nobody uses, rounding, exceptions.
 */
import { expect, test } from "vitest";
import { data, machineWith, stateOf, withRealTier } from "./machine.ts";

const rounds = 1000;
/** `body` again and again, MXCSR's value after each round summed up in rax; it is loaded once, or before each round. */
const loop = (mxcsr: number, body: string, loads: "once" | "always") => `
    mov edi, ${data}
    mov dword ptr [rdi], ${mxcsr}
    mov dword ptr [rdi+16], 3
    cvtsi2sd xmm1, dword ptr [rdi+16]
    pcmpeqd xmm2, xmm2
    xor eax, eax
    ldmxcsr [rdi]
    mov ecx, ${rounds}
  again: ${loads === "always" ? "ldmxcsr [rdi]" : ""}
    cvtsi2sd xmm0, ecx
    ${body}
    stmxcsr [rdi+8]
    mov edx, [rdi+8]
    add rax, rdx
    dec ecx
    jnz again
    syscall`;

function run(program: string, hotAfter: number) {
  const machine = machineWith(program, hotAfter);
  const { memory, processor } = machine;
  const tier = withRealTier(machine);
  const { event, retired } = processor.run(1_000_000);
  return { result: { event, retired, state: stateOf(machine) }, sum: machine.get(0), regions: tier.regions };
}

// An unordered comparison is invalid, and its flags are overwritten at once; 3 divides one number in three.
const unused = "comisd xmm0, xmm2\n xor ebx, ebx";
const inexact = "divsd xmm0, xmm1";

test.each([
  ["flags nobody asks for", loop(0x1f80, unused, "always"), BigInt(rounds * 0x1f81)],
  ["flags cleared each round", loop(0x1f80, inexact, "always"), BigInt(rounds * 0x1f80 + 667 * 0x20)],
  ["flags that stay", loop(0x1f80, inexact, "once"), BigInt(rounds * 0x1fa0)],
  ["rounding down", loop(0x3f80, inexact, "once"), BigInt(rounds * 0x3fa0)],
])("%s", (_, program, sum) => {
  const interpreted = run(program, 0);
  const compiled = run(program, 20);
  expect(interpreted.sum).toBe(sum);
  expect(compiled.result).toEqual(interpreted.result);
  expect(compiled.regions).toBeGreaterThan(1);
});

test("all flags set: there is none to keep, and the region stays as it is", () => {
  const program = loop(0x1fbf, inexact, "once");
  expect(run(program, 20)).toEqual({ ...run(program, 0), regions: 1 });
});

test("an exception is raised at its instruction", () => {
  const program = loop(0x0f80, inexact, "once");
  const interpreted = run(program, 0);
  expect(interpreted.result.event).toEqual({ kind: "trap", trap: "float", reason: "float" });
  expect(run(program, 20).result).toEqual(interpreted.result);
});
