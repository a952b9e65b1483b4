/**
 * Operands of VEX instructions (SDM vol. 2, 2.3). Registers are worked on in lanes of 128 bits, the lowest first. Always:
 * - Memory need not be aligned unless an instruction says so, and all of it is read before anything is computed.
 * - A register that is written is written whole: an instruction on XMM registers clears the upper halves.
 */
import { assert } from "../../../../base/index.ts";
import { uppers, type Value, xmms } from "../../../ir/index.ts";
import type { Instruction, Memory, Operand } from "../../../x86/index.ts";
import type { Builder, StoreManner } from "../../builder.ts";

export const laneBytes = 16;

/** Lanes of the widest operand. */
export const laneCount = ({ operands }: Instruction): 1 | 2 =>
  operands.some((operand) => operand.kind === "ymm" || (operand.kind === "mem" && operand.size > laneBytes)) ? 2 : 1;

export const isVectorRegister = (operand: Operand): operand is Operand & { kind: "xmm" | "ymm" } =>
  operand.kind === "xmm" || operand.kind === "ymm";

/** Sixteen bytes of memory or more; a narrower operand is an element. */
const isWideMemory = (operand: Operand): operand is Memory => operand.kind === "mem" && operand.size >= laneBytes;

export const hasLanes = (operand: Operand): boolean => isVectorRegister(operand) || isWideMemory(operand);

/** #GP unless the address is a multiple of `size`. */
function mustBeAligned(b: Builder, address: Value, size: number): void {
  b.trapIf(b.op("i32.and", b.op("i32.wrap_i64", address), b.i32(size - 1)), "protection");
}

const laneAddress = (b: Builder, address: Value, lane: number): Value =>
  lane === 0 ? address : b.op("i64.add", address, b.i64(lane * laneBytes));

export function readLanes(b: Builder, operand: Operand, aligned = false): readonly Value[] {
  if (operand.kind === "xmm") return [b.get(xmms[operand.index]!)];
  if (operand.kind === "ymm") return [b.get(xmms[operand.index]!), b.get(uppers[operand.index]!)];
  assert(isWideMemory(operand), "lift: lanes are read from vector registers and memory");
  const address = b.address(operand);
  if (operand.size === laneBytes) return [b.load("v128.load", address, aligned)];
  if (aligned) mustBeAligned(b, address, operand.size);
  return [0, 1].map((lane) => b.load("v128.load", laneAddress(b, address, lane)));
}

export function writeLanes(b: Builder, operand: Operand, values: readonly Value[], how: StoreManner = {}): void {
  if (!isVectorRegister(operand)) return storeLanes(b, operand, values, how);
  b.put(xmms[operand.index]!, values[0]!);
  b.put(uppers[operand.index]!, values[1] ?? b.v128(0n));
}

function storeLanes(b: Builder, operand: Operand, [low, high]: readonly Value[], how: StoreManner): void {
  assert(operand.kind === "mem", "lift: lanes are written to vector registers and memory");
  const address = b.address(operand);
  if (high === undefined) return b.store("v128.store", address, low!, how);
  const { aligned, ...manner } = how;
  if (aligned) mustBeAligned(b, address, operand.size);
  b.store("v256.store", address, low!, { ...manner, upper: high });
}
