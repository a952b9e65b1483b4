/**
 * The memory images of the unit: environment (14 and 28 bytes), full state (94 and 108 bytes) and the x87 part of the
 * FXSAVE area (160 bytes), as little-endian bigints (SDM vol. 1, figures 8-9 to 8-12, table 10-2). Always:
 * - Code and data segment selectors are saved as zero, as processors do that report them as deprecated.
 * - The last instruction, data and opcode pointers are saved whether or not an exception is pending.
 */
import { updateSummary } from "./faults.ts";
import type { X87State } from "./state.ts";

const EMPTY = 3;
const SPECIAL = 2;
const ZERO = 1;
const VALID = 0;

/** The two-bit tag of ST(index), recomputed from the register (SDM vol. 1, 8.1.7). */
function fullTag(unit: X87State, index: number): number {
  if (unit.isEmpty(index)) return EMPTY;
  const exponent = unit.signExponent(index) & 0x7fff;
  const significand = unit.significand(index);
  if (exponent === 0 && significand === 0n) return ZERO;
  return exponent === 0 || exponent === 0x7fff || significand >> 63n === 0n ? SPECIAL : VALID;
}

function fullTagWord(unit: X87State): number {
  let word = 0;
  for (let index = 0; index < 8; index++) word |= fullTag(unit, index) << (2 * ((unit.top + index) & 7));
  return word;
}

function setFullTagWord(unit: X87State, word: number): void {
  let tags = 0;
  for (let i = 0; i < 8; i++) if (((word >>> (2 * i)) & 3) !== EMPTY) tags |= 1 << i;
  unit.tags = tags;
}

/** Fields from the lowest up, joined into one image. */
class Image {
  bits = 0n;
  #at = 0n;
  put(value: bigint | number, bytes: number): this {
    this.bits |= BigInt.asUintN(8 * bytes, BigInt(value)) << this.#at;
    this.#at += BigInt(8 * bytes);
    return this;
  }
}

const field = (image: bigint, offset: number, bytes: number): bigint =>
  BigInt.asUintN(8 * bytes, image >> BigInt(8 * offset));
const word = (image: bigint, offset: number): number => Number(field(image, offset, 2));

export function environment28(unit: X87State): Image {
  return new Image()
    .put(0xffff0000 + unit.control, 4)
    .put(0xffff0000 + unit.statusWord, 4)
    .put(0xffff0000 + fullTagWord(unit), 4)
    .put(unit.lastInstruction, 4)
    .put(unit.lastOpcode << 16, 4)
    .put(unit.lastData, 4)
    .put(0xffff0000, 4);
}

export function environment14(unit: X87State): Image {
  return new Image()
    .put(unit.control, 2)
    .put(unit.statusWord, 2)
    .put(fullTagWord(unit), 2)
    .put(unit.lastInstruction, 2)
    .put(0, 2)
    .put(unit.lastData, 2)
    .put(0, 2);
}

/** The bits of the control word that exist; bit 6 reads as one. */
export const loadControl = (unit: X87State, value: number): void => {
  unit.control = (value & 0x1f3f) | 0x40;
  updateSummary(unit);
};

export function loadEnvironment28(unit: X87State, image: bigint): void {
  unit.statusWord = word(image, 4);
  loadControl(unit, word(image, 0));
  setFullTagWord(unit, word(image, 8));
  unit.lastInstruction = field(image, 12, 4);
  unit.lastOpcode = word(image, 18);
  unit.lastData = field(image, 20, 4);
}

export function loadEnvironment14(unit: X87State, image: bigint): void {
  unit.statusWord = word(image, 2);
  loadControl(unit, word(image, 0));
  setFullTagWord(unit, word(image, 4));
  unit.lastInstruction = field(image, 6, 2);
  unit.lastOpcode = 0;
  unit.lastData = field(image, 10, 2);
}

/** FNSAVE: the environment, then ST(0) to ST(7) in ten bytes each. */
export function withRegisters(unit: X87State, image: Image): bigint {
  for (let i = 0; i < 8; i++) image.put(unit.significand(i), 8).put(unit.signExponent(i), 2);
  return image.bits;
}

export function loadRegisters(unit: X87State, image: bigint, offset: number, stride: number): void {
  for (let i = 0; i < 8; i++) {
    unit.setBits(i, field(image, offset + stride * i, 8), word(image, offset + stride * i + 8));
  }
}

/** FXSAVE: `wide` (REX.W) keeps 64-bit pointers. The MXCSR fields (bytes 24 to 31) are left zero for the caller. */
export function fxsave(unit: X87State, wide: boolean): bigint {
  const image = new Image()
    .put(unit.control, 2)
    .put(unit.statusWord, 2)
    .put(unit.tags, 2)
    .put(unit.lastOpcode, 2)
    .put(wide ? unit.lastInstruction : BigInt.asUintN(32, unit.lastInstruction), 8)
    .put(wide ? unit.lastData : BigInt.asUintN(32, unit.lastData), 8)
    .put(0, 8);
  for (let i = 0; i < 8; i++) image.put(unit.significand(i), 8).put(unit.signExponent(i), 8);
  return image.bits;
}

export function fxrstor(unit: X87State, image: bigint, wide: boolean): void {
  unit.statusWord = word(image, 2);
  loadControl(unit, word(image, 0));
  unit.tags = Number(field(image, 4, 1));
  unit.lastOpcode = word(image, 6);
  unit.lastInstruction = field(image, 8, wide ? 8 : 4);
  unit.lastData = field(image, 16, wide ? 8 : 4);
  loadRegisters(unit, image, 32, 16);
}
