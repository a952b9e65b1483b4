/**
 * The running thread's registers, where compiled code keeps them: the CPU block of linear memory (isa/ir/registers.ts).
 * The accessor itself holds no state, so whoever swaps the block swaps the thread.
 */
import {
  arithmeticMask,
  cpuOffset,
  eflagsBit,
  flagsCode,
  type gprNames,
  loadedMxcsr,
  uppers,
  visibleMxcsr,
} from "../../isa/ir/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { cpuAddress, threadStateBytes } from "../runtime/index.ts";
import { arithmeticBits } from "./flags.ts";
import { FXSAVE_BYTES, resetFloatingPoint, returnToState, saveState } from "./fxsave.ts";
import { loadExtended, saveExtended, XCR0, xsaveArea } from "./xsave.ts";

/** Register numbers in x86's encoding order. */
// biome-ignore format: columns stay aligned
export const gpr = {
  rax: 0, rcx: 1, rdx: 2,  rbx: 3,  rsp: 4,  rbp: 5,  rsi: 6,  rdi: 7,
  r8: 8,  r9: 9,  r10: 10, r11: 11, r12: 12, r13: 13, r14: 14, r15: 15,
} as const satisfies Record<(typeof gprNames)[number], number>;

/** Bits of EFLAGS that always read as set: bit 1, and IF in user space. */
const ALWAYS_SET = 0x202;
/** TF, NT, AC and ID: what `eflagsRest` may hold. */
const REST_MASK = (1 << eflagsBit.t) | (1 << 14) | (1 << eflagsBit.ac) | (1 << eflagsBit.id);

export class Cpu {
  readonly #memory: GuestMemory;
  readonly #view: DataView;

  constructor(memory: GuestMemory) {
    this.#memory = memory;
    this.#view = memory.view;
  }

  #u64(offset: number): bigint {
    return this.#view.getBigUint64(cpuAddress(offset), true);
  }
  #setU64(offset: number, value: bigint): void {
    this.#view.setBigUint64(cpuAddress(offset), value, true);
  }

  gpr(index: number): bigint {
    return this.#u64(cpuOffset.gpr + 8 * index);
  }
  setGpr(index: number, value: bigint): void {
    this.#setU64(cpuOffset.gpr + 8 * index, value);
  }
  get rip(): bigint {
    return this.#u64(cpuOffset.rip);
  }
  set rip(value: bigint) {
    this.#setU64(cpuOffset.rip, value);
  }
  get fsBase(): bigint {
    return this.#u64(cpuOffset.fsBase);
  }
  set fsBase(value: bigint) {
    this.#setU64(cpuOffset.fsBase, value);
  }
  get gsBase(): bigint {
    return this.#u64(cpuOffset.gsBase);
  }
  set gsBase(value: bigint) {
    this.#setU64(cpuOffset.gsBase, value);
  }
  get mxcsr(): number {
    return visibleMxcsr(this.#view.getUint32(cpuAddress(cpuOffset.mxcsr), true));
  }

  get eflags(): number {
    const view = this.#view;
    const arithmetic = arithmeticBits({
      code: view.getUint32(cpuAddress(cpuOffset.flagsKind), true),
      left: this.#u64(cpuOffset.flagsLeft),
      right: this.#u64(cpuOffset.flagsRight),
      result: this.#u64(cpuOffset.flagsResult),
    });
    const direction = (view.getUint32(cpuAddress(cpuOffset.direction), true) & 1) << eflagsBit.d;
    return ALWAYS_SET | arithmetic | direction | view.getUint32(cpuAddress(cpuOffset.eflagsRest), true);
  }
  set eflags(value: number) {
    const view = this.#view;
    view.setUint32(cpuAddress(cpuOffset.flagsKind), flagsCode("raw", 64), true);
    this.#setU64(cpuOffset.flagsLeft, BigInt(value & arithmeticMask));
    view.setUint32(cpuAddress(cpuOffset.direction), (value >>> eflagsBit.d) & 1, true);
    view.setUint32(cpuAddress(cpuOffset.eflagsRest), value & REST_MASK, true);
  }

  /** x87 and SSE state as the 512-byte image of FXSAVE64. */
  saveFloatingPoint(): Uint8Array {
    const image = new Uint8Array(FXSAVE_BYTES);
    image.set(saveState(this.#view, cpuAddress(0)));
    return image;
  }
  loadFloatingPoint(image: Uint8Array): void {
    returnToState(this.#view, cpuAddress(0), image);
  }
  /** The XSAVE area in the standard format, all components in it. */
  saveExtendedState(): Uint8Array {
    return saveExtended(this.#view, cpuAddress(0));
  }
  /** From such an area; components that it does not mark as in use are as initially. False: it is none. */
  loadExtendedState(area: Uint8Array): boolean {
    const marked = new DataView(area.buffer, area.byteOffset).getUint32(xsaveArea.inUse, true);
    if (marked & ~XCR0) return false;
    const how = { loaded: marked & XCR0, initialized: XCR0 & ~marked, mxcsr: "loaded" } as const;
    return loadExtended(this.#view, cpuAddress(0), area, how);
  }
  /** The upper halves of the YMM registers. */
  clearUppers(): void {
    for (const { offset } of uppers) this.#memory.bytes.fill(0, cpuAddress(offset), cpuAddress(offset) + 16);
  }
  resetFloatingPoint(): void {
    resetFloatingPoint(this.#view, cpuAddress(0));
  }

  /** From now on SSE operations keep MXCSR's status flags. */
  keepFloatFlags(): void {
    this.#view.setUint32(cpuAddress(cpuOffset.mxcsr), loadedMxcsr(this.mxcsr), true);
  }

  /** A copy of everything that belongs to the thread. */
  save(): Uint8Array {
    return this.#memory.bytes.slice(cpuAddress(0), cpuAddress(threadStateBytes));
  }
  load(state: Uint8Array): void {
    this.#memory.bytes.set(state, cpuAddress(0));
  }
  /** The state a fresh program starts with: all zero but the floating-point control words. */
  clear(): void {
    this.#memory.bytes.fill(0, cpuAddress(0), cpuAddress(threadStateBytes));
    this.resetFloatingPoint();
  }
}
