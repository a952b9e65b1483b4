/**
 * FXSAVE and FXRSTOR: the x87 and SSE state as a 512-byte image (SDM vol. 1 §10.5). Always:
 * - Bytes 416–511 are the program's own and never written.
 * - Plain FXSAVE keeps 32 bits of the last instruction's and operand's addresses, FXSAVE64 all of them.
 */
import { cpuOffset } from "../../ir/index.ts";
import { cpuAddress, type StopCode, stop } from "../../runtime/index.ts";
import type { Instruction, Memory } from "../../x86/index.ts";
import { X87State } from "../../x87/index.ts";
import type { ComplexContext } from "./context.ts";

const at = {
  fcw: 0,
  fsw: 2,
  tags: 4,
  opcode: 6,
  instruction: 8,
  data: 16,
  mxcsr: 24,
  mxcsrMask: 28,
  st: 32,
  xmm: 160,
} as const;
const savedBytes = 416;
/** Processors check that all 512 bytes are there before they begin, the last one first. */
const lastByte = 511n;
/** All of MXCSR but its reserved upper half. */
const mxcsrMask = 0xffff;

/** The bytes that FXSAVE writes. */
export function saveState(view: DataView, wide: boolean): Uint8Array {
  const bytes = new Uint8Array(savedBytes);
  const image = new DataView(bytes.buffer);
  const x87 = new X87State(view, cpuAddress(0));
  image.setUint16(at.fcw, x87.control, true);
  image.setUint16(at.fsw, x87.statusWord, true);
  image.setUint8(at.tags, x87.tags);
  image.setUint16(at.opcode, x87.lastOpcode, true);
  const pointer = (value: bigint) => (wide ? value : value & 0xffff_ffffn);
  image.setBigUint64(at.instruction, pointer(x87.lastInstruction), true);
  image.setBigUint64(at.data, pointer(x87.lastData), true);
  image.setUint32(at.mxcsr, view.getUint32(cpuAddress(cpuOffset.mxcsr), true), true);
  image.setUint32(at.mxcsrMask, mxcsrMask, true);
  for (let i = 0; i < 8; i++) {
    image.setBigUint64(at.st + 16 * i, x87.significand(i), true);
    image.setUint16(at.st + 16 * i + 8, x87.signExponent(i), true);
  }
  for (let i = 0; i < 16; i++) {
    const from = cpuAddress(cpuOffset.xmm + 32 * i);
    bytes.set(new Uint8Array(view.buffer, from, 16), at.xmm + 16 * i);
  }
  return bytes;
}

/** ES and B of the status word say whether an unmasked exception waits, whatever the image says. */
function withSummary(status: number, control: number): number {
  const waiting = status & ~control & 0x3f;
  return (status & ~0x8080) | (waiting ? 0x8080 : 0);
}

/** False when MXCSR has reserved bits set: then nothing is loaded. */
export function restoreState(view: DataView, bytes: Uint8Array, wide: boolean): boolean {
  const image = new DataView(bytes.buffer, bytes.byteOffset, savedBytes);
  const mxcsr = image.getUint32(at.mxcsr, true);
  if (mxcsr & ~mxcsrMask) return false;
  const x87 = new X87State(view, cpuAddress(0));
  x87.control = (image.getUint16(at.fcw, true) & 0x1f3f) | 0x40;
  x87.statusWord = withSummary(image.getUint16(at.fsw, true), x87.control);
  x87.tags = image.getUint8(at.tags);
  x87.lastOpcode = image.getUint16(at.opcode, true);
  x87.lastInstruction = wide ? image.getBigUint64(at.instruction, true) : BigInt(image.getUint32(at.instruction, true));
  x87.lastData = wide ? image.getBigUint64(at.data, true) : BigInt(image.getUint32(at.data, true));
  for (let i = 0; i < 8; i++)
    x87.setBits(i, image.getBigUint64(at.st + 16 * i, true), image.getUint16(at.st + 16 * i + 8, true));
  view.setUint32(cpuAddress(cpuOffset.mxcsr), mxcsr, true);
  for (let i = 0; i < 16; i++) {
    const to = new Uint8Array(view.buffer, cpuAddress(cpuOffset.xmm + 32 * i), 16);
    to.set(bytes.subarray(at.xmm + 16 * i, at.xmm + 16 * i + 16));
  }
  return true;
}

/** The operand's linear address. */
function operandAddress(machine: ComplexContext, { operands: [operand] }: Instruction): bigint {
  const memory = operand as Memory;
  const register = (index: number | undefined) => (index === undefined ? 0n : machine.readGpr(index));
  const sum = register(memory.base) + register(memory.index) * BigInt(memory.scale) + memory.displacement;
  const offset = BigInt.asUintN(memory.addressSize === 4 ? 32 : 64, sum);
  return BigInt.asUintN(64, offset + machine.segmentBase(memory.segment));
}

export const fxsave =
  (wide: boolean) =>
  (machine: ComplexContext, instruction: Instruction): StopCode => {
    const address = operandAddress(machine, instruction);
    if (address & 15n) return stop.protection;
    if (!machine.probe(address + lastByte, 1) || !machine.probe(address, 1)) return machine.stopped;
    const bytes = saveState(machine.view, wide);
    if (machine.plainBytes(address, savedBytes, "write") === savedBytes) {
      machine.bytes.set(bytes, Number(address));
      return stop.none;
    }
    const image = new DataView(bytes.buffer);
    for (let i = 0; i < savedBytes; i += 8)
      if (!machine.store(address + BigInt(i), 8, image.getBigUint64(i, true))) return machine.stopped;
    return stop.none;
  };

export const fxrstor =
  (wide: boolean) =>
  (machine: ComplexContext, instruction: Instruction): StopCode => {
    const address = operandAddress(machine, instruction);
    if (address & 15n) return stop.protection;
    if (machine.load(address + lastByte, 1) === undefined) return machine.stopped;
    const bytes = new Uint8Array(savedBytes);
    const image = new DataView(bytes.buffer);
    for (let i = 0; i < savedBytes; i += 8) {
      const value = machine.load(address + BigInt(i), 8);
      if (value === undefined) return machine.stopped;
      image.setBigUint64(i, value, true);
    }
    return restoreState(machine.view, bytes, wide) ? stop.none : stop.protection;
  };

/** Reserved bits must be zero, else #GP. */
export function ldmxcsr(machine: ComplexContext, instruction: Instruction): StopCode {
  const value = machine.load(operandAddress(machine, instruction), 4);
  if (value === undefined) return machine.stopped;
  if (value & ~BigInt(mxcsrMask)) return stop.protection;
  machine.view.setUint32(cpuAddress(cpuOffset.mxcsr), Number(value), true);
  return stop.none;
}
