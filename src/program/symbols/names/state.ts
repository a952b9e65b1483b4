/** What is known of registers and of the stack at one place of a function. */
import { merge, sameValue, unknown, type Value } from "./values.ts";

export interface State {
  /** By x86 number. */
  readonly registers: readonly Value[];
  /** Words of the stack by their offset from the canonical frame address. */
  readonly slots: ReadonlyMap<number, Value>;
}

export const registerCount = 16;
export const stackPointer = 4;
/** What a call may change (System V ABI for x86-64, section 3.2.1): rax, rcx, rdx, rsi, rdi, r8 to r11. */
export const callerSaved: readonly number[] = [0, 1, 2, 6, 7, 8, 9, 10, 11];
/** Where integer arguments come in, in order: rdi, rsi, rdx, rcx, r8, r9. */
export const argumentRegisters: readonly number[] = [7, 6, 2, 1, 8, 9];

const frame = { kind: "frame" } as const;
/** The return address lies just below the canonical frame address. */
const RETURN_ADDRESS_BYTES = 8;

export const entryState: State = {
  registers: Array.from({ length: registerCount }, (_, register) =>
    register === stackPointer
      ? { base: frame, offset: -RETURN_ADDRESS_BYTES, stride: 0, symbol: undefined }
      : { base: { kind: "entry", register } as const, offset: 0, stride: 0, symbol: undefined },
  ),
  slots: new Map(),
};

export const nothingKnown: State = {
  registers: Array.from({ length: registerCount }, () => unknown()),
  slots: new Map(),
};

/** `known` itself when `added` says nothing new. */
export function mergeStates(known: State, added: State): State {
  let changed = false;
  const registers = known.registers.map((value, register) => {
    const merged = merge(value, added.registers[register] as Value);
    if (!sameValue(merged, value)) changed = true;
    return merged;
  });
  const slots = new Map<number, Value>();
  for (const [offset, value] of known.slots) {
    const other = added.slots.get(offset);
    const merged = other && merge(value, other);
    if (merged === undefined || !sameValue(merged, value)) changed = true;
    if (merged !== undefined) slots.set(offset, merged);
  }
  return changed ? { registers, slots } : known;
}
