/**
 * Recoveries that never end are told without waiting for their limit of instructions: a program that comes back to the very
 * state that it was in, registers and memory, with nothing asked of the outside in between, does so for ever.
 */
import type { Machine, RunResult } from "../../machine/index.ts";

/** It is looked for when so large a part of the limit is used up, and again when twice as much is: most recoveries never get there. */
const firstPart = 1 / 16;
/** Looking takes as long as a million instructions do: it is left out where not much more than that is left to run. */
const worthALook = 4_000_000;
/** A loop of more instructions is not found. */
const mostInstructions = 1000;
const schedYield = 24n;
const rax = 0;

/** Like `run`, but that a loop without end is stopped early, with the answer that the limit gives. */
export function runUnlessEndless(machine: Machine, instructions: number): RunResult {
  let done = 0;
  for (let look = Math.ceil(instructions * firstPart); instructions - look >= worthALook; look *= 2) {
    const result = machine.run(look - done);
    if (result.kind !== "limit" || comesBack(machine)) return result;
    done = look;
  }
  return machine.run(instructions - done);
}

/** True only if it never ends. The machine stays as it is. */
function comesBack(machine: Machine): boolean {
  if (!machine.isAlone) return false;
  const here = machine.snapshot();
  const [rip, state] = [machine.rip, machine.threadState()];
  const isBack = () =>
    machine.rip === rip && machine.threadState().every((word, at) => word === state[at]) && machine.isMemoryAsAt(here);
  let found = false;
  for (let step = 0; step < mostInstructions && !found; step++) {
    if (asksOutside(machine) || machine.run(1).kind !== "limit") break;
    found = isBack();
  }
  machine.restore(here);
  machine.release(here);
  return found;
}

/** A system call, but for one that only lets others run; time, and chance. */
function asksOutside(machine: Machine): boolean {
  const code = [...(machine.readMemory(machine.rip, 8) ?? [])];
  const at = code.findIndex((byte) => !isPrefix(byte));
  const [first, opcode = 0, modrm = 0] = code.slice(at);
  if (first === 0xcd) return true;
  if (first !== 0x0f) return false;
  if (opcode === 0x05) return machine.register(rax) !== schedYield;
  const isRandom = opcode === 0xc7 && modrm >= 0xf0;
  return opcode === 0x31 || opcode === 0xa2 || isRandom || (opcode === 0x01 && modrm === 0xf9);
}

const isPrefix = (byte: number): boolean =>
  (byte >= 0x40 && byte < 0x50) || byte === 0x66 || byte === 0xf2 || byte === 0xf3;
