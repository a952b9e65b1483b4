/**
 * Inputs for a block: every register an edge value, then the registers that form addresses solved so that the accesses
 * land on chosen targets, then what particular instructions need to be interesting (adjust.ts).
 */
import { below, next32, type RandomState } from "../../src/base/index.ts";
import { addressOf, segmentBase } from "./addresses.ts";
import { adjustments } from "./adjust.ts";
import type { MemoryUse, TestBlock } from "./blocks.ts";
import { dataPlace, drawTarget, pristine, writableRuns } from "./places.ts";
import { asCase, type Case, fxLayout, inputLayout, patchBytes, patchCount, uppersBytes } from "./records.ts";
import { drawMxcsr, edgeWord, putEdge64, putEdge128 } from "./values.ts";

/** A case while it is made: its record under several views. */
export interface Draft {
  readonly random: RandomState;
  readonly record: Case;
  readonly words: Uint32Array;
  readonly gpr: BigUint64Array;
  /** Registers whose values addresses depend on. */
  readonly fixed: Set<number>;
  /** Where each memory use of the block's first instruction landed. */
  readonly targets: bigint[];
}

function setRegister(draft: Draft, index: number, bits: 32 | 64, value: bigint): void {
  const low = BigInt.asUintN(bits, value);
  draft.gpr[index] = bits === 64 ? low : (draft.gpr[index]! & ~0xffff_ffffn) | low;
  draft.fixed.add(index);
}

/** Moves one register so that the use lands on the target, or near it where a scale is in the way. */
function solve(draft: Draft, use: MemoryUse, target: bigint): void {
  const { base, index, scale, bits } = use;
  const free = (register: number | undefined): register is number =>
    register !== undefined && !draft.fixed.has(register);
  const missing = BigInt.asIntN(bits, target - addressOf(draft.record, use));
  const positive = BigInt.asUintN(bits, missing);
  if (free(base) && (base !== index || use.byteIndex)) setRegister(draft, base, bits, draft.gpr[base]! + positive);
  else if (free(base)) {
    const wanted = BigInt.asUintN(bits, target - segmentBase(draft.record, use.segment) - use.displacement);
    setRegister(draft, base, bits, wanted / (1n + scale));
  } else if (free(index) && !use.byteIndex) {
    setRegister(draft, index, bits, draft.gpr[index]! + missing / scale);
  }
  for (const register of [base, index]) if (register !== undefined) draft.fixed.add(register);
}

/** Bytes of the case's own around an address, clear of what is not writable. */
function placePatch(draft: Draft, slot: number, address: bigint): void {
  const run = writableRuns.find(([start, end]) => address >= BigInt(start) && address < BigInt(end));
  if (!run) return;
  const wanted = (Number(address) - 32) & ~7;
  const start = Math.min(Math.max(wanted, run[0]), run[1] - patchBytes);
  draft.record.view.setBigUint64(inputLayout.patchAddress + 8 * slot, BigInt(start), true);
  const first = (inputLayout.patch + slot * patchBytes) / 4;
  for (let word = first; word < first + patchBytes / 4; word += 4) putEdge128(draft.random, draft.words, word);
}

/** Writes into the case's memory where it has bytes of its own; elsewhere memory is as it is. */
export function poke(draft: Draft, address: bigint, value: bigint, size: number): void {
  for (let slot = 0; slot < patchCount; slot++) {
    const start = draft.record.view.getBigUint64(inputLayout.patchAddress + 8 * slot, true);
    if (start === 0n) continue;
    for (let i = 0; i < size; i++) {
      const at = Number(address - start) + i;
      if (at < 0 || at >= patchBytes) continue;
      const byte = Number((value >> BigInt(8 * i)) & 0xffn);
      draft.record.bytes[inputLayout.patch + slot * patchBytes + at] = byte;
    }
  }
}

/** The 80-bit numbers that matter, as exponent and the mantissa's upper word. */
const extended = [
  [0, 0], [0, 1], [0x3fff, 0x8000_0000], [0x3ffe, 0xffff_ffff], [0x7fff, 0x8000_0000], [0x7fff, 0xc000_0000],
  [0x7fff, 0x9000_0000], [0x7fff, 0x4000_0000], [0x4000, 0x4000_0000], [1, 0x8000_0000], [0x7ffe, 0xffff_ffff],
  [0x403e, 0x8000_0000], [0x401e, 0x8000_0000], [0, 0x8000_0000], [0x3fff, 0], [0x4005, 0x9000_0000],
] as const; // biome-ignore format: pairs

function putExtended({ random, record: { view } }: Draft, at: number): void {
  const special = below(random, 3) === 0 ? extended[below(random, extended.length)]! : undefined;
  const near = 0x3fff - 40 + below(random, 80);
  const sign = next32(random) & 0x8000;
  view.setUint32(at, special && next32(random) & 1 ? 0 : next32(random), true);
  view.setUint32(at + 4, special ? special[1] : (next32(random) | 0x8000_0000) >>> 0, true);
  view.setUint16(at + 8, (special ? special[0] : near) | sign, true);
}

function drawFloatState(draft: Draft): void {
  const { random, record, words } = draft;
  const fx = inputLayout.fx;
  const draw = next32(random);
  const control = 0x7f | [0, 0x200, 0x300, 0x300][draw & 3]! | (((draw >> 2) & 3) << 10);
  record.view.setUint16(fx + fxLayout.fcw, control, true);
  record.view.setUint16(fx + fxLayout.fsw, (draw >> 4) & 0x7f7f, true);
  record.bytes[fx + fxLayout.tags] = draw & 0x8000 ? 0xff : draw >>> 24;
  record.view.setUint32(fx + fxLayout.mxcsr, drawMxcsr(random), true);
  for (let i = 0; i < 8; i++) putExtended(draft, fx + fxLayout.st + 16 * i);
  for (let i = 0; i < 16; i++) putEdge128(random, words, (fx + fxLayout.xmm) / 4 + 4 * i);
  for (let i = 0; i < 16; i++) putEdge128(random, words, inputLayout.uppers / 4 + 4 * i);
}

/** The state that general-purpose instructions start with: nothing of it may change. */
const quietState = (() => {
  const bytes = pristine.slice(0, fxLayout.size);
  const view = new DataView(bytes.buffer);
  view.setUint16(fxLayout.fcw, 0x37f, true);
  view.setUint16(fxLayout.fsw, 0, true);
  bytes.fill(0, fxLayout.tags, fxLayout.mxcsr);
  view.setUint32(fxLayout.mxcsr, 0x1f80, true);
  bytes.fill(0, fxLayout.st, fxLayout.xmm);
  return bytes;
})();

function drawState(draft: Draft, float: boolean): void {
  const { random, record, words } = draft;
  for (let i = 0; i < 16; i++) putEdge64(random, words, 2 * i);
  const draw = next32(random);
  const flags = 0x202 | (draw & 0x8d5) | (draw & 0x3000 ? 0 : 0x400) | (draw & 0x20_0000);
  record.view.setUint32(inputLayout.rflags, flags, true);
  record.view.setUint32(inputLayout.fsBase, edgeWord(random), true);
  record.view.setUint32(inputLayout.gsBase, next32(random), true);
  record.bytes.set(quietState, inputLayout.fx);
  record.bytes.set(pristine.subarray(0, uppersBytes), inputLayout.uppers);
  if (float) drawFloatState(draft);
}

/** Fills `bytes` (one input record, zeroed) with a case for the block. */
export function drawInput(block: TestBlock, random: RandomState, bytes: Uint8Array): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, inputLayout.size / 4);
  const gpr = new BigUint64Array(bytes.buffer, bytes.byteOffset, 16);
  const draft: Draft = { random, record: asCase(bytes), words, gpr, fixed: new Set(), targets: [] };
  drawState(
    draft,
    block.instructions.some(({ form }) => form.float),
  );
  const uses = block.instructions.flatMap((instruction) => instruction.uses);
  for (const [i, use] of uses.entries()) {
    solve(draft, use, drawTarget(random, use.size));
    draft.targets.push(addressOf(draft.record, use));
    if (i < patchCount) placePatch(draft, i, draft.targets[i]!);
  }
  for (const instruction of block.instructions) adjustments[instruction.form.mnemonic]?.(draft, instruction);
}

/** Puts the case's own bytes into the data pages. */
export function applyPatches(input: Case, data: Uint8Array): void {
  for (let slot = 0; slot < patchCount; slot++) {
    const address = Number(input.view.getBigUint64(inputLayout.patchAddress + 8 * slot, true));
    const from = inputLayout.patch + slot * patchBytes;
    if (address !== 0) data.set(input.bytes.subarray(from, from + patchBytes), address - dataPlace.start);
  }
}

/** Takes them out again. */
export function revertPatches(input: Case, data: Uint8Array): void {
  for (let slot = 0; slot < patchCount; slot++) {
    const address = Number(input.view.getBigUint64(inputLayout.patchAddress + 8 * slot, true)) - dataPlace.start;
    if (address >= 0) data.set(pristine.subarray(address, address + patchBytes), address);
  }
}
