/** Lifts one straight run of instructions: up to a jump, a limit, or an instruction that this machine does not have. */
import type { Block } from "../ir/index.ts";
import { disassemble, type Instruction, InstructionStream, needsNewerCpu } from "../x86/index.ts";
import { Builder } from "./builder.ts";
import { semantics } from "./semantics/index.ts";

/** Longer runs are split: a block's temporaries must fit their area, and a long block delays thread switches. */
export const maxBlockInstructions = 64;
export const maxBlockOps = 2048;

/**
 * `code` holds the executable bytes from `start` on (as many as are mapped, 1 KiB at most). Undefined when not even
 * one instruction is complete: the guest faults on fetching it.
 */
export function liftBlock(code: Uint8Array, start: number, limit = maxBlockInstructions): Block | undefined {
  const stream = new InstructionStream(code, start);
  const b = new Builder();
  let next = start;
  try {
    while (!b.exit && b.instructions < limit && b.ops.length < maxBlockOps) {
      const instruction = stream.next();
      if (!instruction) break;
      b.begin(instruction);
      const lift = semantics[instruction.mnemonic];
      if (lift) {
        lift(b, instruction);
        if (instruction.lock) b.fence("locked");
      } else b.exit = refuse(instruction, code.subarray(instruction.address - start));
      next = instruction.next;
    }
  } finally {
    stream.free();
  }
  if (b.instructions === 0) return undefined;
  return { start, end: next, instructions: b.instructions, ops: b.ops, exit: b.exit ?? { kind: "goto", target: next } };
}

function refuse(instruction: Instruction, bytes: Uint8Array): Block["exit"] {
  const text = instruction.mnemonic === "invalid" ? "an invalid instruction" : disassemble(bytes, instruction.address);
  const advice = needsNewerCpu(instruction) ? " This machine is an x86-64-v2: rebuild with -march=x86-64-v2." : "";
  return {
    kind: "trap",
    trap: "undefined",
    address: instruction.address,
    reason: `${text} is not supported.${advice}`,
  };
}
