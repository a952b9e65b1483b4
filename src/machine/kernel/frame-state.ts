/**
 * The floating-point state in a signal frame (arch/x86/kernel/fpu/signal.c): FXSAVE's image, or on a processor with XSAVE
 * the area in the standard format, between two words that say so. Always:
 * - x87 and SSE state are marked as in use, whatever they are.
 * - At sigreturn a frame without the words, or with wrong ones, is FXSAVE's image; all else is as initially then.
 */
import { type Cpu, components, FXSAVE_BYTES, hasBadMxcsr, XCR0, xsaveArea } from "../process/index.ts";
import type { Process } from "./process.ts";

/** struct _fpx_sw_bytes, in bytes 464 to 511 of the image. */
const software = { magic: 464, extendedSize: 468, features: 472, size: 480 } as const;
const [MAGIC1, MAGIC2] = [0x4650_5853, 0x4650_5845];
const MAGIC2_BYTES = 4;

const EXTENDED_BYTES = xsaveArea.bytes + MAGIC2_BYTES;
export const frameStateBytes = (isExtended: boolean): number => (isExtended ? EXTENDED_BYTES : FXSAVE_BYTES);

export function saveFrameState(cpu: Cpu, isExtended: boolean): Uint8Array {
  if (!isExtended) return cpu.saveFloatingPoint();
  const bytes = new Uint8Array(EXTENDED_BYTES);
  bytes.set(cpu.saveExtendedState());
  const view = new DataView(bytes.buffer);
  view.setUint32(xsaveArea.inUse, view.getUint32(xsaveArea.inUse, true) | components.x87 | components.sse, true);
  view.setUint32(software.magic, MAGIC1, true);
  view.setUint32(software.extendedSize, bytes.length, true);
  view.setUint32(software.features, XCR0, true);
  view.setUint32(software.size, xsaveArea.bytes, true);
  view.setUint32(xsaveArea.bytes, MAGIC2, true);
  return bytes;
}

/** False when the frame's state cannot be read, or is none. */
export function loadFrameState({ cpu, memory, options }: Process, address: number): boolean {
  const image = memory.read(address, FXSAVE_BYTES);
  if (image === undefined || hasBadMxcsr(image)) return false;
  const area = options.extendedState && hasExtended(image) ? memory.read(address, EXTENDED_BYTES) : undefined;
  if (area && new DataView(area.buffer, area.byteOffset).getUint32(xsaveArea.bytes, true) === MAGIC2)
    return cpu.loadExtendedState(area);
  cpu.clearUppers();
  cpu.loadFloatingPoint(image);
  return true;
}

function hasExtended(image: Uint8Array): boolean {
  const view = new DataView(image.buffer, image.byteOffset);
  const size = view.getUint32(software.size, true);
  return (
    view.getUint32(software.magic, true) === MAGIC1 &&
    size === xsaveArea.bytes &&
    view.getUint32(software.extendedSize, true) === EXTENDED_BYTES
  );
}
