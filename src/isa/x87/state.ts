/**
 * The x87 unit's registers as they lie in the CPU struct (SDM vol. 1, 8.1). Always:
 * - Everything is in `view`; the accessor itself holds no state, so a snapshot of memory is a snapshot of the unit.
 * - The status word in memory has zeros where TOP belongs; `statusWord` joins the two.
 * - Bit i of `tags` is set when physical register i is not empty. ST(i) is physical register (top + i) mod 8.
 */
import { packSignExponent80, packSignificand80, type Unpacked, unpack80 } from "../softfloat/index.ts";

const CONTROL = 192;
const STATUS = 196;
const TOP = 200;
const TAGS = 204;
const LAST_OPCODE = 208;
const LAST_INSTRUCTION = 216;
const LAST_DATA = 224;
const REGISTERS = 256;

export const STATUS_TOP_SHIFT = 11;
export const STATUS_TOP_MASK = 7 << STATUS_TOP_SHIFT;

export class X87State {
  /** Replaced by the owner when the linear memory grows. */
  view: DataView;
  readonly base: number;

  constructor(view: DataView, base: number) {
    this.view = view;
    this.base = base;
  }

  get control(): number {
    return this.view.getUint32(this.base + CONTROL, true);
  }
  set control(value: number) {
    this.view.setUint32(this.base + CONTROL, value, true);
  }
  get status(): number {
    return this.view.getUint32(this.base + STATUS, true);
  }
  set status(value: number) {
    this.view.setUint32(this.base + STATUS, value, true);
  }
  get top(): number {
    return this.view.getUint32(this.base + TOP, true);
  }
  set top(value: number) {
    this.view.setUint32(this.base + TOP, value & 7, true);
  }
  get tags(): number {
    return this.view.getUint32(this.base + TAGS, true);
  }
  set tags(value: number) {
    this.view.setUint32(this.base + TAGS, value & 0xff, true);
  }
  get lastOpcode(): number {
    return this.view.getUint32(this.base + LAST_OPCODE, true);
  }
  set lastOpcode(value: number) {
    this.view.setUint32(this.base + LAST_OPCODE, value & 0x7ff, true);
  }
  get lastInstruction(): bigint {
    return this.view.getBigUint64(this.base + LAST_INSTRUCTION, true);
  }
  set lastInstruction(value: bigint) {
    this.view.setBigUint64(this.base + LAST_INSTRUCTION, value, true);
  }
  get lastData(): bigint {
    return this.view.getBigUint64(this.base + LAST_DATA, true);
  }
  set lastData(value: bigint) {
    this.view.setBigUint64(this.base + LAST_DATA, value, true);
  }

  /** The status word as programs see it. */
  get statusWord(): number {
    return this.status | (this.top << STATUS_TOP_SHIFT);
  }
  set statusWord(value: number) {
    this.status = value & 0xffff & ~STATUS_TOP_MASK;
    this.top = value >>> STATUS_TOP_SHIFT;
  }

  #at(index: number): number {
    return this.base + REGISTERS + 16 * ((this.top + index) & 7);
  }
  isEmpty(index: number): boolean {
    return (this.tags & (1 << ((this.top + index) & 7))) === 0;
  }
  setEmpty(index: number): void {
    this.tags = this.tags & ~(1 << ((this.top + index) & 7));
  }
  #setFull(index: number): void {
    this.tags = this.tags | (1 << ((this.top + index) & 7));
  }

  significand(index: number): bigint {
    return this.view.getBigUint64(this.#at(index), true);
  }
  signExponent(index: number): number {
    return this.view.getUint16(this.#at(index) + 8, true);
  }
  /** Writes the bits of ST(index) without touching its tag. */
  setBits(index: number, significand: bigint, signExponent: number): void {
    const at = this.#at(index);
    this.view.setBigUint64(at, significand, true);
    this.view.setUint16(at + 8, signExponent, true);
  }
  /** Writes the bits of ST(index) and marks it full. */
  writeBits(index: number, significand: bigint, signExponent: number): void {
    this.setBits(index, significand, signExponent);
    this.#setFull(index);
  }
  read(index: number): Unpacked {
    return unpack80(this.significand(index), this.signExponent(index));
  }
  write(index: number, value: Unpacked): void {
    this.writeBits(index, packSignificand80(value), packSignExponent80(value));
  }
  pop(): void {
    this.setEmpty(0);
    this.top = this.top + 1;
  }
}
