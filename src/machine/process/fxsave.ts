/**
 * The x87 and SSE state as the image of FXSAVE and of signal frames (SDM vol. 1, 10.5 and table 10-2). `base` is where the
 * CPU block lies in `view`. Always:
 * - Bytes 416–511 are the program's own: an image that is written ends before them.
 * - Plain FXSAVE keeps 32 bits of the last instruction's and operand's addresses, FXSAVE64 (`wide`) all of them.
 */
import { cpuOffset, loadedMxcsr, mxcsr, replacedMxcsr, visibleMxcsr } from "../../isa/ir/index.ts";
import { initializeX87, X87State } from "../../isa/x87/index.ts";

export const FXSAVE_BYTES = 512;
export const FXSAVE_WRITTEN = 416;

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

export function saveState(view: DataView, base: number, wide = true): Uint8Array {
  const bytes = new Uint8Array(FXSAVE_WRITTEN);
  const image = new DataView(bytes.buffer);
  const x87 = new X87State(view, base);
  image.setUint16(at.fcw, x87.control, true);
  image.setUint16(at.fsw, x87.statusWord, true);
  image.setUint8(at.tags, x87.tags);
  image.setUint16(at.opcode, x87.lastOpcode, true);
  const pointer = (value: bigint) => (wide ? value : value & 0xffff_ffffn);
  image.setBigUint64(at.instruction, pointer(x87.lastInstruction), true);
  image.setBigUint64(at.data, pointer(x87.lastData), true);
  image.setUint32(at.mxcsr, visibleMxcsr(view.getUint32(base + cpuOffset.mxcsr, true)), true);
  image.setUint32(at.mxcsrMask, mxcsr.visible, true);
  for (let i = 0; i < 8; i++) {
    image.setBigUint64(at.st + 16 * i, x87.significand(i), true);
    image.setUint16(at.st + 16 * i + 8, x87.signExponent(i), true);
  }
  for (let i = 0; i < 16; i++) bytes.set(xmm(view, base, i), at.xmm + 16 * i);
  return bytes;
}

const xmm = (view: DataView, base: number, index: number): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset + base + cpuOffset.xmm + 32 * index, 16);

/** ES and B of the status word say whether an unmasked exception waits, whatever the image says. */
function withSummary(status: number, control: number): number {
  const waiting = status & ~control & 0x3f;
  return (status & ~0x8080) | (waiting ? 0x8080 : 0);
}

function loadAllButMxcsr(view: DataView, base: number, bytes: Uint8Array, wide: boolean): void {
  const image = imageOf(bytes);
  const x87 = new X87State(view, base);
  x87.control = (image.getUint16(at.fcw, true) & 0x1f3f) | 0x40;
  x87.statusWord = withSummary(image.getUint16(at.fsw, true), x87.control);
  x87.tags = image.getUint8(at.tags);
  x87.lastOpcode = image.getUint16(at.opcode, true);
  x87.lastInstruction = wide ? image.getBigUint64(at.instruction, true) : BigInt(image.getUint32(at.instruction, true));
  x87.lastData = wide ? image.getBigUint64(at.data, true) : BigInt(image.getUint32(at.data, true));
  for (let i = 0; i < 8; i++)
    x87.setBits(i, image.getBigUint64(at.st + 16 * i, true), image.getUint16(at.st + 16 * i + 8, true));
  for (let i = 0; i < 16; i++) xmm(view, base, i).set(bytes.subarray(at.xmm + 16 * i, at.xmm + 16 * i + 16));
}

const imageOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Whether MXCSR has reserved bits set: FXRSTOR faults then, and the kernel, which uses it, gives SIGSEGV. */
export const hasBadMxcsr = (bytes: Uint8Array): boolean =>
  (imageOf(bytes).getUint32(at.mxcsr, true) & ~mxcsr.visible) !== 0;

/** FXRSTOR. False when MXCSR has reserved bits set: then nothing is loaded. */
export function restoreState(view: DataView, base: number, bytes: Uint8Array, wide = true): boolean {
  if (hasBadMxcsr(bytes)) return false;
  const value = imageOf(bytes).getUint32(at.mxcsr, true);
  loadAllButMxcsr(view, base, bytes, wide);
  // The dynamic linker saves and restores around each function's first call: that is no look at MXCSR.
  const before = view.getUint32(base + cpuOffset.mxcsr, true);
  if (value !== visibleMxcsr(before)) view.setUint32(base + cpuOffset.mxcsr, loadedMxcsr(value), true);
  return true;
}

/** What the kernel does at the end of a signal handler; it has refused an image with reserved bits of MXCSR. */
export function returnToState(view: DataView, base: number, bytes: Uint8Array): void {
  loadAllButMxcsr(view, base, bytes, true);
  replaceMxcsr(view, base, imageOf(bytes).getUint32(at.mxcsr, true));
}

function replaceMxcsr(view: DataView, base: number, value: number): void {
  const before = view.getUint32(base + cpuOffset.mxcsr, true);
  view.setUint32(base + cpuOffset.mxcsr, replacedMxcsr(before, value), true);
}

/** What a program and a signal handler start with. */
export function resetFloatingPoint(view: DataView, base: number): void {
  new Uint8Array(view.buffer).fill(
    0,
    view.byteOffset + base + cpuOffset.x87,
    view.byteOffset + base + cpuOffset.threadEnd,
  );
  initializeX87(new X87State(view, base));
  replaceMxcsr(view, base, mxcsr.initial);
}
