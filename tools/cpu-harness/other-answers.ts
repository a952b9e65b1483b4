/** From this machine's answer to the other vendor's: one function for each row of processors.ts, which says what it does. */

import { X87State, x87Operations } from "../../src/isa/x87/index.ts";
import { restoreState } from "../../src/machine/process/index.ts";
import { addressOf, firstUnreadable, firstUnwritable } from "./addresses.ts";
import { normalise } from "./outcome.ts";
import { dataPlace } from "./places.ts";
import type { Answer, Step } from "./processors.ts";
import { fxLayout, inputLayout, outputLayout } from "./records.ts";

const faulted = ({ outcome }: Answer) => outcome.kind === "fault" || outcome.kind === "protection";

const arithmeticFlags = 0x8d5;

/** In a longer block the flags before it are not known, and not compared (masks.ts). */
export function forgetStringFlags({ input, alone }: Step, answer: Answer): void {
  if (!faulted(answer) || !alone) return;
  const { view } = answer.output;
  const kept = view.getUint32(outputLayout.rflags, true) & ~arithmeticFlags;
  view.setUint32(outputLayout.rflags, kept | (input.view.getUint32(inputLayout.rflags, true) & arithmeticFlags), true);
}

const [rcx, rsi, rdi] = [1, 6, 7];
const narrowed: Readonly<Record<string, readonly number[]>> = { movs: [rcx, rsi, rdi], stos: [rcx, rdi] };

export function narrowStringRegisters({ instruction }: Step, { output }: Answer): void {
  for (const register of narrowed[instruction.form.mnemonic.slice(0, 4)] ?? [rcx])
    output.view.setUint32(outputLayout.gpr + 8 * register + 4, 0, true);
}

/** By the last letter of CMPSB to CMPSQ; with a repeat prefix the decoder names no size. */
const elementBytes: Readonly<Record<string, number>> = { b: 1, w: 2, d: 4, q: 8 };

export function compareFirstStringFirst({ instruction: { uses, form } }: Step, answer: Answer): void {
  const first = uses.find(({ base }) => base === rsi);
  if (!faulted(answer) || !first) return;
  const address = firstUnreadable(addressOf(answer.output, first), elementBytes[form.mnemonic.at(-1)!]!);
  if (address !== undefined) answer.outcome = normalise({ kind: "fault", address });
}

export function storeUpperHalfFirst({ instruction: { uses } }: Step, answer: Answer): void {
  if (!faulted(answer)) return;
  const upper = BigInt.asUintN(64, addressOf(answer.output, uses[0]!) + 8n);
  const address = firstUnwritable(upper, 8);
  if (address !== undefined) answer.outcome = normalise({ kind: "fault", address });
}

const topShift = 11;

/** FXSAVE has the registers as ST(0) to ST(7), so they move when TOP does. */
export function turnStackForStore(_step: Step, answer: Answer): void {
  if (!faulted(answer)) return;
  const { bytes, view } = answer.output;
  const status = view.getUint16(outputLayout.fx + fxLayout.fsw, true);
  const top = (status >> topShift) & 7;
  view.setUint16(outputLayout.fx + fxLayout.fsw, status & ~(7 << topShift), true);
  const start = outputLayout.fx + fxLayout.st;
  const registers = bytes.slice(start, start + 128);
  for (let i = 0; i < 8; i++) {
    const from = 16 * ((i - top) & 7);
    bytes.set(registers.subarray(from, from + 16), start + 16 * i);
  }
}

/** A CPU struct, of which only the float part is used. */
const scratch = new DataView(new ArrayBuffer(4096));

export function storeLowerPart({ instruction: { uses, form } }: Step, answer: Answer): void {
  const address = addressOf(answer.output, uses[0]!);
  if (!faulted(answer) || firstUnwritable(address, 8) !== undefined) return;
  restoreState(scratch, 0, answer.output.bytes.subarray(outputLayout.fx, outputLayout.fx + fxLayout.size));
  const value = x87Operations[form.name]!.run(new X87State(scratch, 0), []) as bigint;
  const at = Number(address) - dataPlace.start;
  for (let i = 0; i < 8; i++) answer.memory[at + i] = Number((value >> BigInt(8 * i)) & 0xffn);
}

const integerBit = 1n << 63n;
const underflow = 0x10;
const exceptions = 0x3f;
const summary = 0x8080;

/**
 * The sine of ±2^-16382 is a little nearer to zero: rounded, the largest denormal, or as many ones with an exponent 3 × 2^13
 * higher where underflow is not masked. Both views are FXSAVE images; `sine` says which register of the stack has it.
 */
export function roundSmallestSine(before: DataView, after: DataView, sine: 0 | 1): void {
  const at = fxLayout.st + 16 * sine;
  const isSmallest =
    (before.getUint16(fxLayout.st + 8, true) & 0x7fff) <= 1 && before.getBigUint64(fxLayout.st, true) === integerBit;
  if (!isSmallest || (after.getBigUint64(at, true) | integerBit) !== 2n * integerBit - 1n) return;
  after.setBigUint64(at, integerBit, true);
  after.setUint16(at + 8, (before.getUint16(fxLayout.st + 8, true) & 0x8000) | 1, true);
  const without = after.getUint16(fxLayout.fsw, true) & ~(underflow | summary);
  const status = without | (before.getUint16(fxLayout.fsw, true) & underflow);
  const pending = status & ~after.getUint16(fxLayout.fcw, true) & exceptions;
  after.setUint16(fxLayout.fsw, status | (pending ? summary : 0), true);
}

export function roundSine({ instruction, input }: Step, { outcome, output }: Answer): void {
  if (outcome.kind !== "done") return;
  const [before, after] = [
    new DataView(input.bytes.buffer, input.bytes.byteOffset + inputLayout.fx, fxLayout.size),
    new DataView(output.bytes.buffer, output.bytes.byteOffset + outputLayout.fx, fxLayout.size),
  ];
  roundSmallestSine(before, after, instruction.form.mnemonic === "fsincos" ? 1 : 0);
}

const misalignedMode = 0x2_0000;

export function maskMisaligned({ instruction: { uses } }: Step, { outcome, output, memory }: Answer): void {
  if (outcome.kind !== "done") return;
  const at = Number(addressOf(output, uses[0]!)) - dataPlace.start + fxLayout.mxcsrMask;
  const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  view.setUint32(at, view.getUint32(at, true) | misalignedMode, true);
}
