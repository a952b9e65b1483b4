/**
 * The FXSAVE64 image of a thread's floating-point state, as it appears in signal frames (SDM vol. 1, table 10-2).
 * `base` is where the CPU block lies in `view`.
 */
import { cpuOffset } from "../../ir/index.ts";
import { initializeX87, X87State } from "../../x87/index.ts";

export const FXSAVE_BYTES = 512;
const MXCSR_DEFAULT = 0x1f80;
const MXCSR_MASK = 0xffff;
const ST_AREA = 32;
const XMM_AREA = 160;

export function saveFxsave(view: DataView, base: number): Uint8Array {
  const unit = new X87State(view, base);
  const image = new Uint8Array(FXSAVE_BYTES);
  const out = new DataView(image.buffer);
  out.setUint16(0, unit.control, true);
  out.setUint16(2, unit.statusWord, true);
  out.setUint8(4, unit.tags);
  out.setUint16(6, unit.lastOpcode, true);
  out.setBigUint64(8, unit.lastInstruction, true);
  out.setBigUint64(16, unit.lastData, true);
  out.setUint32(24, view.getUint32(base + cpuOffset.mxcsr, true), true);
  out.setUint32(28, MXCSR_MASK, true);
  for (let i = 0; i < 8; i++) {
    out.setBigUint64(ST_AREA + 16 * i, unit.significand(i), true);
    out.setUint16(ST_AREA + 16 * i + 8, unit.signExponent(i), true);
  }
  const bytes = new Uint8Array(view.buffer);
  for (let i = 0; i < 16; i++) {
    const from = view.byteOffset + base + cpuOffset.xmm + 32 * i;
    image.set(bytes.subarray(from, from + 16), XMM_AREA + 16 * i);
  }
  return image;
}

export function loadFxsave(view: DataView, base: number, image: Uint8Array): void {
  const unit = new X87State(view, base);
  const from = new DataView(image.buffer, image.byteOffset, image.byteLength);
  unit.control = (from.getUint16(0, true) & 0x1f3f) | 0x40;
  unit.statusWord = from.getUint16(2, true);
  unit.tags = from.getUint8(4);
  unit.lastOpcode = from.getUint16(6, true);
  unit.lastInstruction = from.getBigUint64(8, true);
  unit.lastData = from.getBigUint64(16, true);
  view.setUint32(base + cpuOffset.mxcsr, from.getUint32(24, true) & MXCSR_MASK, true);
  for (let i = 0; i < 8; i++) {
    unit.setBits(i, from.getBigUint64(ST_AREA + 16 * i, true), from.getUint16(ST_AREA + 16 * i + 8, true));
  }
  const bytes = new Uint8Array(view.buffer);
  for (let i = 0; i < 16; i++) {
    bytes.set(
      image.subarray(XMM_AREA + 16 * i, XMM_AREA + 16 * i + 16),
      view.byteOffset + base + cpuOffset.xmm + 32 * i,
    );
  }
}

/** What a program and a signal handler start with. */
export function resetFloatingPoint(view: DataView, base: number): void {
  new Uint8Array(view.buffer).fill(
    0,
    view.byteOffset + base + cpuOffset.x87,
    view.byteOffset + base + cpuOffset.threadEnd,
  );
  initializeX87(new X87State(view, base));
  view.setUint32(base + cpuOffset.mxcsr, MXCSR_DEFAULT, true);
}
