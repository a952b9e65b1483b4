/**
 * What may differ from the real processor, each with its reason. Undefined flags come from the decoder's tables, except
 * for shifts and rotates, where they depend on the count (SDM vol. 2, "Flags Affected").
 */
import type { TestBlock, TestInstruction } from "./blocks.ts";
import { isRepeatedCompare } from "./processors.ts";
import { type Case, inputLayout } from "./records.ts";

const bit = { c: 0x1, p: 0x4, a: 0x10, z: 0x40, s: 0x80, o: 0x800 } as const;
/** iced's RflagsBits → EFLAGS. */
const icedFlags: readonly (readonly [number, number])[] = [
  [1, bit.o],
  [2, bit.s],
  [4, bit.z],
  [8, bit.a],
  [16, bit.c],
  [32, bit.p],
];

/** RF is set in the image of a faulting instruction; TF is not implemented. */
const neverCompared = 0x1_0100;

const rotates = new Set(["rol", "ror", "rcl", "rcr"]);
const shifts = new Set(["shl", "sal", "shr", "sar", "shld", "shrd"]);

const isShift = (mnemonic: string) => rotates.has(mnemonic) || shifts.has(mnemonic);

function shiftCount(instruction: TestInstruction, input: Case, width: number): number {
  const byOne = /_1$/.test(instruction.form.name);
  const count = byOne ? 1 : (instruction.immediate ?? input.bytes[inputLayout.gpr + 8]!);
  return count & (width === 64 ? 63 : 31);
}

function undefinedByCount(instruction: TestInstruction, input: Case): number {
  const size = instruction.registers[0]?.size ?? instruction.uses[0]!.size;
  const width = 8 * size;
  const count = shiftCount(instruction, input, width);
  const { mnemonic } = instruction.form;
  if (count === 0) return 0;
  const overflow = count === 1 ? 0 : bit.o;
  if (rotates.has(mnemonic)) return overflow;
  const carry = count >= width && mnemonic !== "sar" ? bit.c : 0;
  return bit.a | overflow | carry;
}

const asEflags = (flags: number): number =>
  icedFlags.reduce((mask, [from, to]) => (flags & from ? mask | to : mask), 0);

function undefinedFlags(instruction: TestInstruction, input: Case): number {
  const { mnemonic } = instruction.form;
  if (isShift(mnemonic)) return undefinedByCount(instruction, input);
  return asEflags(instruction.undefinedFlags);
}

/** In a longer block the count may be computed: whatever a count could leave undefined is, and nothing surely is not. */
function flagsInBlock(instruction: TestInstruction) {
  const { form, undefinedFlags, writtenFlags, immediate, repeated } = instruction;
  const { mnemonic, name } = form;
  const counted = /_CL$/.test(name);
  if (!counted && isShift(mnemonic) && ((immediate ?? 1) & (/_rm64_/.test(name) ? 63 : 31)) === 0)
    return { lost: 0, set: 0 };
  if (rotates.has(mnemonic)) return { lost: bit.o, set: counted ? 0 : bit.c };
  if (!shifts.has(mnemonic)) return { lost: asEflags(undefinedFlags), set: repeated ? 0 : asEflags(writtenFlags) };
  return { lost: bit.a | bit.o | bit.c, set: counted ? 0 : bit.z | bit.s | bit.p };
}

const undefinedAfter = (block: TestBlock): number =>
  block.instructions.reduce((mask, each) => {
    const { lost, set } = flagsInBlock(each);
    return (mask & ~set) | lost;
  }, 0);

/** The EFLAGS bits to compare after a block that ran to its end. */
export function comparedFlags(block: TestBlock, input: Case): number {
  const [only] = block.instructions;
  const lost = block.instructions.length === 1 ? undefinedFlags(only!, input) : undefinedAfter(block);
  return ~(neverCompared | lost);
}

const arithmetic = bit.c | bit.p | bit.a | bit.z | bit.s | bit.o;

/**
 * After a fault in its only instruction everything is as before, so nothing is undefined. In a longer block a repeated
 * compare that faults leaves either its own flags or those before it (processors.ts), which the block has not kept.
 */
export function comparedAfterFault({ instructions }: TestBlock, rip: bigint): number {
  if (instructions.length === 1) return ~neverCompared;
  const last = instructions.find(({ address }) => BigInt(address) === rip);
  const own = last && isRepeatedCompare(last) ? arithmetic : 0;
  return ~instructions.reduce((mask, each) => mask | flagsInBlock(each).lost, neverCompared | own);
}

/** Whoever reads a flag that is undefined by then differs too, so such blocks prove nothing. */
export function readsUndefinedFlags(instructions: readonly TestInstruction[]): boolean {
  let lostSoFar = 0;
  for (const each of instructions) {
    if (lostSoFar & asEflags(each.readFlags)) return true;
    const { lost, set } = flagsInBlock(each);
    lostSoFar = (lostSoFar & ~set) | lost;
  }
  return false;
}
