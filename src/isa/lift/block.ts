/** Lifts one straight run of instructions: up to a jump, a limit, or an instruction that this machine does not have. */
import { verifiesBlocks } from "../../base/index.ts";
import { type Block, gprs, verifyBlock } from "../ir/index.ts";
import {
  type CpuLevel,
  decodeRun,
  disassemble,
  type Instruction,
  missingFeatures,
  type Operand,
  usualLevel,
} from "../x86/index.ts";
import { Builder } from "./builder.ts";
import { insertPatches, type PatchSites } from "./patches.ts";
import { semanticsOf } from "./semantics/index.ts";

/** Longer runs are split: a block's temporaries must fit their area, and a long block delays thread switches. */
export const maxBlockInstructions = 64;
export const maxBlockOps = 2048;

export interface LiftOptions {
  /** Tell of calls and returns, for calling contexts, and hand Valgrind client requests to the machine. */
  readonly traced: boolean;
  /** What to insert; without a trace nobody would see it. */
  readonly patches?: PatchSites | undefined;
  readonly level?: CpuLevel | undefined;
}
const noLiftOptions: LiftOptions = { traced: false };
const stackPointer = gprs[4]!;

/**
 * `code` holds the executable bytes from `start` on (as many as are mapped, 1 KiB at most). Undefined when not even
 * one instruction is complete: the guest faults on fetching it.
 */
export const liftBlock = (
  code: Uint8Array,
  start: number,
  limit = maxBlockInstructions,
  options: LiftOptions = noLiftOptions,
): Block | undefined => liftRun(decodeRun(code, start, limit), code, start, options);

export function liftRun(
  instructions: readonly Instruction[],
  code: Uint8Array,
  start: number,
  { traced, patches, level = usualLevel }: LiftOptions = noLiftOptions,
): Block | undefined {
  const b = new Builder();
  let next = start;
  let preamble = 0;
  for (const instruction of instructions) {
    if (b.exit || b.ops.length >= maxBlockOps) break;
    const first = b.ops.length;
    b.begin(instruction);
    const lift = semanticsOf(instruction, level);
    // A run may have gone on behind the rotations. Nothing else begins like that.
    if (traced && (preamble === requestRotations.length || b.instructions === 1) && isRequest(instruction)) {
      b.exit = { kind: "complex", name: "request", address: instruction.address, next: instruction.next };
    } else if (lift) lift(b, instruction);
    else b.exit = refuse(instruction, code.subarray(instruction.address - start), level);
    if (patches) insertPatches(b, first, patches.at(instruction.address));
    if (traced) {
      noteFrames(b, instruction);
      preamble = isRotation(instruction, preamble) ? preamble + 1 : 0;
    }
    next = instruction.next;
  }
  if (b.instructions === 0) return undefined;
  const exit = b.exit ?? ({ kind: "goto", target: next } as const);
  const block = { start, end: next, instructions: b.instructions, ops: b.ops, exit };
  if (verifiesBlocks()) verifyBlock(block);
  return block;
}

/** A call's return address lies at the new top of the stack; after a return or an indirect jump, frames below it are over. */
function noteFrames(b: Builder, { next }: Instruction): void {
  const kind = b.exit?.kind;
  if (kind === "call") b.frames(b.get(stackPointer), next);
  else if (kind === "return" || kind === "jump") b.frames(b.get(stackPointer));
}

/** Valgrind's request sequence for amd64 (valgrind.h): rdi rotated by these, which is no change, then xchg rbx, rbx. */
const requestRotations = [3n, 13n, 61n, 51n] as const;
const isRegister = (operand: Operand | undefined, index: number): boolean =>
  operand?.kind === "gpr" && operand.index === index && operand.size === 8;
const isRotation = ({ mnemonic, operands }: Instruction, position: number): boolean => {
  if (mnemonic !== "rol") return false;
  const [what, by] = operands;
  return isRegister(what, 7) && by?.kind === "imm" && by.value === requestRotations[position];
};
const isRequest = ({ mnemonic, operands }: Instruction): boolean =>
  mnemonic === "xchg" && isRegister(operands[0], 3) && isRegister(operands[1], 3);

/** SDM vol. 3, 6.15, of #GP: an instruction has at most so many bytes. */
const mostBytes = 15;
const prefixes: ReadonlySet<number> = new Set([0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65]);

/** Whether it would be an instruction with fewer prefixes, and is none for its length alone. */
function isTooLong(bytes: Uint8Array): boolean {
  for (let dropped = 1; prefixes.has(bytes[dropped - 1] ?? 0); dropped++) {
    if (dropped === mostBytes) return true;
    const [rest] = decodeRun(bytes.subarray(dropped, dropped + mostBytes), 0, 1);
    if (rest !== undefined && rest.mnemonic !== "invalid" && dropped + rest.next > mostBytes) return true;
  }
  return false;
}

function refuse(instruction: Instruction, bytes: Uint8Array, level: CpuLevel): Block["exit"] {
  const { address } = instruction;
  if (instruction.mnemonic === "invalid" && isTooLong(bytes))
    return { kind: "trap", trap: "protection", address, reason: `An instruction has at most ${mostBytes} bytes.` };
  const text = instruction.mnemonic === "invalid" ? "an invalid instruction" : disassemble(bytes, instruction.address);
  return {
    kind: "trap",
    trap: "undefined",
    address: instruction.address,
    reason: `${text} is not supported.${advice(instruction, level)}`,
  };
}

/** How to do without what the processor lacks. */
function advice(instruction: Instruction, level: CpuLevel): string {
  const missing = missingFeatures(instruction, level);
  if (missing.length === 0) return "";
  const isOther = missingFeatures(instruction, "v3").length === 0 ? ", or give --cpu v3" : "";
  return ` It needs ${missing.join(" and ")}, and this machine is an x86-64-${level}: rebuild with -march=x86-64-${level}${isOther}.`;
}
