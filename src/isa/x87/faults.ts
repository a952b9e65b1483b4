/**
 * How x87 instructions begin and end: exceptions, masked answers and what an unmasked exception leaves undone
 * (SDM vol. 1, 8.4 to 8.7). Always:
 * - An unmasked exception found on the operands leaves stack, registers and memory as they were.
 * - The exception summary (ES) and busy (B) bits are set exactly when some flag is set whose mask is clear.
 */
import {
  ALL_EXCEPTIONS,
  BEFORE_COMPUTATION,
  createEnvironment,
  DEFAULT_NAN,
  type Format,
  INVALID,
  precisionControl,
  raisedFlags,
  type Unpacked,
} from "../softfloat/index.ts";
import type { X87State } from "./state.ts";

/** Nothing was done: an earlier unmasked exception waits to be reported as #MF. */
export const PENDING = -1n;
/** The instruction ended in an unmasked exception before its result: write nothing to memory or to the flags. */
export const SUPPRESSED = -2n;
export const DONE = 0n;

export const STACK_FAULT = 0x40;
export const ERROR_SUMMARY = 0x80;
export const BUSY = 0x8000;
export const C0 = 0x100;
export const C1 = 0x200;
export const C2 = 0x400;
export const C3 = 0x4000;
export const CONDITIONS = C0 | C1 | C2 | C3;

/** Shared by all operations; each starts with `begin`. */
export const env = createEnvironment("x87");

export function begin(unit: X87State): void {
  const control = unit.control;
  env.flags = 0;
  env.roundedUp = false;
  env.masks = control & ALL_EXCEPTIONS;
  env.rounding = (control >>> 10) & 3;
}

/** The format results are rounded to under the current precision control. */
export const resultFormat = (unit: X87State): Format => precisionControl[(unit.control >>> 8) & 3] as Format;

/** Makes ES and B follow the flags and masks. */
export function updateSummary(unit: X87State): void {
  const status = unit.status;
  const pending = (status & ~unit.control & ALL_EXCEPTIONS) !== 0;
  unit.status = pending ? status | ERROR_SUMMARY | BUSY : status & ~(ERROR_SUMMARY | BUSY);
}

export const isPending = (unit: X87State): boolean => (unit.status & ERROR_SUMMARY) !== 0;

export function setConditions(unit: X87State, mask: number, value: number): void {
  unit.status = (unit.status & ~mask) | value;
}

/** Records the flags of the operation and C1; says whether its result may be written. */
export function settle(unit: X87State): boolean {
  const flags = raisedFlags(env.flags, env.masks);
  const suppressed = (flags & BEFORE_COMPUTATION & ~env.masks) !== 0;
  setConditions(unit, C1, env.roundedUp && !suppressed ? C1 : 0);
  if (flags !== 0) {
    unit.status = unit.status | flags;
    updateSummary(unit);
  }
  return !suppressed;
}

/** Writes the result of an operation into ST(index), unless an unmasked exception forbids it. */
export function finish(unit: X87State, index: number, value: Unpacked, pops = 0): bigint {
  if (!settle(unit)) return SUPPRESSED;
  unit.write(index, value);
  for (let i = 0; i < pops; i++) unit.pop();
  return DONE;
}

/** An empty register was read (C1 = 0) or a full one would be overwritten by a push (C1 = 1). True when masked. */
export function stackFault(unit: X87State, overflow: boolean): boolean {
  unit.status = unit.status | INVALID | STACK_FAULT;
  setConditions(unit, C1, overflow ? C1 : 0);
  updateSummary(unit);
  return (unit.control & INVALID) !== 0;
}

/** The masked answer to reading an empty register: the default NaN in the destination. */
export function stackUnderflow(unit: X87State, index: number, pops = 0): bigint {
  if (!stackFault(unit, false)) return SUPPRESSED;
  unit.write(index, DEFAULT_NAN);
  for (let i = 0; i < pops; i++) unit.pop();
  return DONE;
}

/** Makes room for a push. On overflow the masked answer is already pushed, and false comes back. */
export function makeRoom(unit: X87State): boolean {
  if (unit.isEmpty(7)) {
    unit.top = unit.top - 1;
    return true;
  }
  if (stackFault(unit, true)) {
    unit.top = unit.top - 1;
    unit.write(0, DEFAULT_NAN);
  }
  return false;
}
