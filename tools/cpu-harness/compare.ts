/** Compares what the machine left with what the processor left: every register, defined flag and byte of memory. */
import { gprNames } from "../../src/isa/ir/index.ts";
import type { TestBlock } from "./blocks.ts";
import { comparedAfterFault, comparedFlags } from "./masks.ts";
import type { NativeResult } from "./native.ts";
import type { Outcome } from "./outcome.ts";
import { dataPlace, pristine, readOnlyPage } from "./places.ts";
import { vendorAnswers } from "./processors.ts";
import { type Case, changeBytes, fxLayout, outputLayout } from "./records.ts";
import { tolerancesOf, tolerated } from "./tolerance.ts";

export interface Difference {
  readonly what: string;
  readonly native: string;
  readonly machine: string;
}

export interface Ended {
  readonly outcome: Outcome;
  readonly output: Case;
}

/** `what` fields of FXSAVE64; instruction and operand pointers are not compared: processors keep them differently. */
const fxFields: readonly (readonly [string, number, number])[] = [
  ["fcw", fxLayout.fcw, 2],
  ["fsw", fxLayout.fsw, 2],
  ["ftw", fxLayout.tags, 1],
  ["mxcsr", fxLayout.mxcsr, 4],
  ...Array.from({ length: 8 }, (_, i) => [`st${i}`, fxLayout.st + 16 * i, 10] as const),
  ...Array.from({ length: 16 }, (_, i) => [`xmm${i}`, fxLayout.xmm + 16 * i, 16] as const),
];

const readOnly = BigInt(readOnlyPage) >> 12n;
const hex = (value: bigint) => `0x${value.toString(16)}`;
const hexBytes = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

export const describeOutcome = (outcome: Outcome): string =>
  outcome.kind === "fault" ? `fault at ${hex(outcome.address)}` : outcome.kind;

/**
 * The same page; or the next one, when an access that reads and writes runs from read-only memory into none: the
 * processor wants to write from the start, the machine reads first.
 */
const samePage = (native: Outcome, machine: Outcome) => {
  if (native.kind !== "fault" || machine.kind !== "fault") return true;
  const distance = (machine.address >> 12n) - (native.address >> 12n);
  return distance === 0n || (distance === 1n && machine.address % 4096n === 0n && native.address >> 12n === readOnly);
};

/** An access that runs over the end of the lower half is #GP on the processor; the machine names its first byte. */
const runsOverTheEnd = (native: Outcome, machine: Outcome) =>
  native.kind === "protection" && machine.kind === "fault" && machine.address >> 4n === (1n << 43n) - 1n;

/** AMD's processors want an address to be canonical before FS or GS is added, too: it may be none below the upper half. */
const reachesUpperHalf = (native: Outcome, machine: Outcome) =>
  native.kind === "protection" && machine.kind === "fault" && machine.address >> 32n === 0xffff_8000n;

const sameOutcome = (native: Outcome, machine: Outcome) =>
  (native.kind === machine.kind && samePage(native, machine)) ||
  runsOverTheEnd(native, machine) ||
  reachesUpperHalf(native, machine);

/** AMD processors have a mode for misaligned operands in MXCSR; to the machine the bit is reserved. */
const isInMisalignedMode = ({ view }: Case) =>
  (view.getUint32(outputLayout.fx + fxLayout.mxcsr, true) & 0x2_0000) !== 0;

function compareIntegers(native: Case, machine: Case, flags: number, found: Difference[]): void {
  const check = (what: string, at: number, mask = 0xffff_ffff_ffff_ffffn) => {
    const left = native.view.getBigUint64(at, true) & mask;
    const right = machine.view.getBigUint64(at, true) & mask;
    if (left !== right) found.push({ what, native: hex(left), machine: hex(right) });
  };
  for (const [i, name] of gprNames.entries()) check(name, outputLayout.gpr + 8 * i);
  check("rflags", outputLayout.rflags, BigInt.asUintN(64, BigInt(flags)));
  check("rip", outputLayout.rip);
  check("fs base", outputLayout.fsBase);
  check("gs base", outputLayout.gsBase);
}

/** Where the lower half of a YMM register lies whose upper half is at `at`. */
const lowerHalf = (at: number): number => fxLayout.xmm + at - outputLayout.uppers;

function compareUppers(block: TestBlock, native: Case, machine: Case, found: Difference[]): void {
  const allowed = tolerancesOf(block);
  for (let i = 0; i < 16; i++) {
    const at = outputLayout.uppers + 16 * i;
    const [mine, yours] = [native, machine].map(({ bytes }) => bytes.subarray(at, at + 16));
    if (Buffer.compare(mine!, yours!) === 0 || tolerated(allowed, lowerHalf(at), mine!, yours!)) continue;
    found.push({ what: `ymm${i}h`, native: hexBytes(mine!), machine: hexBytes(yours!) });
  }
}

function compareFloat(block: TestBlock, native: Case, machine: Case, found: Difference[]): void {
  const [left, right] = [native, machine].map(({ bytes }) =>
    bytes.subarray(outputLayout.fx, outputLayout.fx + fxLayout.size),
  );
  if (Buffer.compare(left!, right!) === 0) return;
  const allowed = tolerancesOf(block);
  for (const [what, at, size] of fxFields) {
    const [mine, yours] = [left!.subarray(at, at + size), right!.subarray(at, at + size)];
    if (Buffer.compare(mine, yours) === 0 || tolerated(allowed, at, mine, yours)) continue;
    found.push({ what, native: hexBytes(mine), machine: hexBytes(yours) });
  }
}

/** The data pages become what the processor left. */
export function applyChanges(data: Uint8Array, { changes }: NativeResult): void {
  for (let at = 0; at < changes.byteLength; at += changeBytes) {
    const address = Number(changes.getBigUint64(at, true)) - dataPlace.start;
    for (let i = 0; i < 8; i++) data[address + i] = changes.getUint8(at + 8 + i);
  }
}

/** The data pages become what they were, the case's own bytes apart. */
export function revertChanges(data: Uint8Array, { changes }: NativeResult): void {
  for (let at = 0; at < changes.byteLength; at += changeBytes) {
    const address = Number(changes.getBigUint64(at, true)) - dataPlace.start;
    data.set(pristine.subarray(address, address + 8), address);
  }
}

function compareMemory(native: Uint8Array, machine: Uint8Array, found: Difference[]): void {
  if (Buffer.compare(native, machine) === 0) return;
  for (let at = 0; at < native.length; at += 8) {
    const [left, right] = [native.subarray(at, at + 8), machine.subarray(at, at + 8)];
    if (Buffer.compare(left, right) === 0) continue;
    found.push({
      what: `memory ${hex(BigInt(dataPlace.start + at))}`,
      native: hexBytes(left),
      machine: hexBytes(right),
    });
  }
}

/** A jump to an address that cannot exist faults at the jump on the processor, at its target in the machine. */
function jumpsNowhere(native: Ended, machine: Ended): boolean {
  if (native.outcome.kind !== "protection" || machine.outcome.kind !== "protection") return false;
  const rip = machine.output.view.getBigUint64(outputLayout.rip, true);
  return BigInt.asUintN(64, BigInt.asIntN(48, rip)) !== rip;
}

export interface EndedWithMemory extends Ended {
  readonly memory: Uint8Array;
}

function differencesFrom(
  block: TestBlock,
  input: Case,
  native: EndedWithMemory,
  machine: EndedWithMemory,
  withFloat: boolean,
): readonly Difference[] {
  const found: Difference[] = [];
  if (!sameOutcome(native.outcome, machine.outcome))
    found.push({
      what: "outcome",
      native: describeOutcome(native.outcome),
      machine: describeOutcome(machine.outcome),
    });
  const rip = native.output.view.getBigUint64(outputLayout.rip, true);
  const flags = native.outcome.kind === "done" ? comparedFlags(block, input) : comparedAfterFault(block, rip);
  compareIntegers(native.output, machine.output, flags, found);
  if (withFloat) {
    compareFloat(block, native.output, machine.output, found);
    compareUppers(block, native.output, machine.output, found);
  }
  compareMemory(native.memory, machine.memory, found);
  return found;
}

/** All differences; none means that the machine is right about this case, by Intel's processors or by AMD's. */
export function compareEnds(
  block: TestBlock,
  input: Case,
  native: EndedWithMemory,
  machine: EndedWithMemory,
  withFloat: boolean,
): readonly Difference[] {
  if (jumpsNowhere(native, machine) || isInMisalignedMode(native.output)) return [];
  const found = differencesFrom(block, input, native, machine, withFloat);
  if (found.length === 0) return found;
  const rip = machine.output.view.getBigUint64(outputLayout.rip, true);
  const agrees = vendorAnswers(block, input, machine, rip).some(
    ([, answer]) => differencesFrom(block, input, native, answer, withFloat).length === 0,
  );
  return agrees ? [] : found;
}
