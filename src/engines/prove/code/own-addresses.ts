/** Memory of threads' own: stacks, at addresses that no program maps (machine/process lays out lower ones). */

export const ownBytes = 2 ** 20;
/** From here on addresses are threads' own. */
export const ownStart = 2 ** 40;
export const ownBase = (thread: number): number => ownStart + thread * 2 * ownBytes;

export const isWithin = (thread: number, address: number, size: number): boolean =>
  address >= ownBase(thread) && address + size <= ownBase(thread) + ownBytes;

/** Registers of a call's arguments, in the order of the calling convention. */
export const argumentNames = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"] as const;
