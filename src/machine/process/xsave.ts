/**
 * The XSAVE area: FXSAVE's image, a header of 64 bytes that says what is in it, and the upper halves of the YMM registers
 * (SDM vol. 1, 13.4). State components are numbered as in XCR0. Always:
 * - A component counts as in use exactly if it differs from its initial state, so that nothing depends on history.
 * - There is one component beyond the legacy ones, so the compacted format has it at the same place as the standard one.
 */
import { mxcsr, uppers } from "../../isa/ir/index.ts";
import { FXSAVE_BYTES, restoreState, saveState } from "./fxsave.ts";

/** Bits of XCR0: all that this processor has. */
export const components = { x87: 1, sse: 2, avx: 4 } as const;
export const XCR0 = components.x87 | components.sse | components.avx;

export const xsaveArea = { inUse: 512, format: 520, reserved: 528, uppers: 576, bytes: 832 } as const;
const [UPPER_BYTES, UPPER_COUNT] = [16, 16];

/** Of FXSAVE's image: what belongs to which component. */
const legacy = { x87: [0, 24], x87Registers: [32, 160], mxcsr: [24, 32], xmm: [160, 416] } as const;
type Part = readonly [start: number, end: number];

/** A program's initial x87 control word; all else of the legacy image is zero. */
const INITIAL_FCW = 0x37f;
const initialImage = ((): Uint8Array => {
  const image = new Uint8Array(FXSAVE_BYTES);
  new DataView(image.buffer).setUint16(0, INITIAL_FCW, true);
  new DataView(image.buffer).setUint32(legacy.mxcsr[0], mxcsr.initial, true);
  return image;
})();

const upperAt = (view: DataView, base: number, index: number): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset + base + uppers[index]!.offset, UPPER_BYTES);

/** All components as they are, with a header that says which are in use. */
export function saveExtended(view: DataView, base: number, wide = true): Uint8Array {
  const area = new Uint8Array(xsaveArea.bytes);
  area.set(saveState(view, base, wide));
  for (let i = 0; i < UPPER_COUNT; i++) area.set(upperAt(view, base, i), xsaveArea.uppers + UPPER_BYTES * i);
  new DataView(area.buffer).setUint32(xsaveArea.inUse, inUse(area), true);
  return area;
}

const differs = (area: Uint8Array, [start, end]: Part): boolean => {
  for (let at = start; at < end; at++) if (area[at] !== (initialImage[at] ?? 0)) return true;
  return false;
};

/** MXCSR is not counted: XSAVEC alone looks at it (`hasUsualMxcsr`). */
function inUse(area: Uint8Array): number {
  const x87 = differs(area, legacy.x87) || differs(area, legacy.x87Registers) ? components.x87 : 0;
  const sse = differs(area, legacy.xmm) ? components.sse : 0;
  const avx = differs(area, [xsaveArea.uppers, xsaveArea.bytes]) ? components.avx : 0;
  return x87 | sse | avx;
}
export const hasUsualMxcsr = (area: Uint8Array): boolean => !differs(area, [legacy.mxcsr[0], legacy.mxcsr[0] + 4]);

/** The parts of an area that some components are; MXCSR is apart. */
export const partsOf = (chosen: number): readonly Part[] => [
  ...(chosen & components.x87 ? [legacy.x87, legacy.x87Registers] : []),
  ...(chosen & components.sse ? [legacy.xmm] : []),
  ...(chosen & components.avx ? [[xsaveArea.uppers, xsaveArea.bytes] as const] : []),
];
export const mxcsrPart: Part = legacy.mxcsr;

/** What is to be loaded, from where, and what is to be as initially. */
export interface Loading {
  readonly loaded: number;
  readonly initialized: number;
  readonly mxcsr: "loaded" | "initial" | "kept";
}

/** False, and nothing is changed, when MXCSR would have reserved bits set. */
export function loadExtended(view: DataView, base: number, area: Uint8Array, how: Loading, wide = true): boolean {
  const image = new Uint8Array(FXSAVE_BYTES);
  image.set(saveState(view, base));
  const take = (from: Uint8Array, [start, end]: Part) => image.set(from.subarray(start, end), start);
  const isLegacy = ([start]: Part) => start < FXSAVE_BYTES;
  for (const part of partsOf(how.loaded).filter(isLegacy)) take(area, part);
  for (const part of partsOf(how.initialized).filter(isLegacy)) take(initialImage, part);
  if (how.mxcsr !== "kept") take(how.mxcsr === "loaded" ? area : initialImage, mxcsrPart);
  if (!restoreState(view, base, image, wide || (how.loaded & components.x87) === 0)) return false;
  if (how.loaded & components.avx)
    for (let i = 0; i < UPPER_COUNT; i++) {
      const at = xsaveArea.uppers + UPPER_BYTES * i;
      upperAt(view, base, i).set(area.subarray(at, at + UPPER_BYTES));
    }
  if (how.initialized & components.avx) for (let i = 0; i < UPPER_COUNT; i++) upperAt(view, base, i).fill(0);
  return true;
}
