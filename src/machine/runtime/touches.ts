/**
 * Which registers a block reads or writes, so that a run can stop before the first block that has to do with some of them (`cell.taint`):
 * a bit each for general registers, vector registers and the flags, and one for all others.
 */
import { type Block, cpuOffset, type Op, type Register } from "../../isa/ir/index.ts";

const [gprBytes, vectorBytes, firstVector] = [8, 32, 16];

/** The low word has general and vector registers, the high one the rest. */
const rest = { flags: 1, others: 2 } as const;
/** A bit that no block has. */
const nothing = 1 << 31;
const [everyLow, everyHigh] = [0xffff_ffff, rest.flags | rest.others];

const lowBit = ({ offset }: Register): number => {
  if (offset < cpuOffset.rip) return 1 << (offset / gprBytes);
  return offset >= cpuOffset.xmm ? 1 << (firstVector + Math.floor((offset - cpuOffset.xmm) / vectorBytes)) : 0;
};

export const registerTouch = (register: Register): bigint =>
  BigInt(lowBit(register) >>> 0) || BigInt(rest.others) << 32n;
export const flagsTouch: bigint = BigInt(rest.flags) << 32n;
/** Stops before no block, and keeps runs out of compiled regions as every other does. */
export const noTouch: bigint = BigInt(nothing >>> 0) << 32n;

const usesFlags: Partial<Record<Op["kind"], true>> = { flags: true, carry: true, flag: true, condition: true };

/** What leaves the block for the kernel or the machine may look at every register. */
const leaves = new Set<Block["exit"]["kind"]>(["syscall", "complex", "trap"]);

/** Both words, the low one first. */
export function touchesOf({ ops, exit }: Block): readonly [number, number] {
  if (leaves.has(exit.kind)) return [everyLow, everyHigh];
  let [low, high] = [0, 0];
  for (const op of ops) {
    if (op.kind === "get" || op.kind === "put") {
      const bit = lowBit(op.register);
      low |= bit;
      if (bit === 0) high |= rest.others;
    } else if (usesFlags[op.kind]) high |= rest.flags;
  }
  return [low >>> 0, high];
}
