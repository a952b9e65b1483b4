/** Where a memory operand lies in a given state, and which of its bytes cannot be used. */
import type { MemoryUse } from "./blocks.ts";
import { codePlace, dataPlace, holePage, isWritable, pageBytes } from "./places.ts";
import { type Case, inputLayout } from "./records.ts";

export function segmentBase({ view }: Case, segment: MemoryUse["segment"]): bigint {
  if (!segment) return 0n;
  return view.getBigUint64(segment === "fs" ? inputLayout.fsBase : inputLayout.gsBase, true);
}

/** Inputs and outputs begin alike, so either will do for `state`. */
export function addressOf(state: Case, use: MemoryUse): bigint {
  const register = (index: number | undefined) =>
    index === undefined ? 0n : state.view.getBigUint64(inputLayout.gpr + 8 * index, true);
  const index = use.byteIndex ? register(use.index) & 0xffn : register(use.index);
  const sum = register(use.base) + index * use.scale + use.displacement;
  return BigInt.asUintN(64, BigInt.asUintN(use.bits, sum) + segmentBase(state, use.segment));
}

const within = (address: number, { start, size }: { readonly start: number; readonly size: number }) =>
  address >= start && address < start + size;

const isReadable = (address: number): boolean =>
  within(address, codePlace) || (within(address, dataPlace) && !within(address, { start: holePage, size: pageBytes }));

/** The first of `size` bytes that a store cannot reach, if there is one. */
export const firstUnwritable = (address: bigint, size: number): bigint | undefined =>
  bytesFrom(address, size).find((byte) => !isWritable(Number(byte)) && !within(Number(byte), codePlace));

export const firstUnreadable = (address: bigint, size: number): bigint | undefined =>
  bytesFrom(address, size).find((byte) => !isReadable(Number(byte)));

const bytesFrom = (address: bigint, size: number): readonly bigint[] =>
  Array.from({ length: size }, (_, i) => BigInt.asUintN(64, address + BigInt(i)));
