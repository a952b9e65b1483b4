/**
 * A machine between two runs, to be looked into and changed: for who computes beside it what its instructions do to values that it does
 * not hold, as symbolic execution does. Always:
 * - What is written here is the guest's state from then on; nobody is told of it, no event is recorded.
 * - A watched page stops a run that was asked to (`uses`) before the instruction that would use it; nothing of it is done then.
 */
import { assert } from "../../base/index.ts";
import {
  type Block,
  carryNoted,
  carryShift,
  codeMask,
  cpuOffset,
  flagsCode,
  flagsKinds,
  type NotedFlags,
  type Register,
  widths,
} from "../../isa/ir/index.ts";
import type { ValueType } from "../../isa/wasm/index.ts";
import type { Memory } from "../../isa/x86/index.ts";
import type { InodeId } from "../files/index.ts";
import type { Kernel } from "../kernel/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import {
  cell,
  cpuAddress,
  flagsTouch,
  info,
  layout,
  noTouch,
  pageBits,
  pageSize,
  registerTouch,
  use,
} from "../runtime/index.ts";
import type { Processor } from "./processor.ts";
import type { Watcher } from "./watcher.ts";

/** Told while the machine runs. */
export interface PortListener {
  /** The kernel is about to read these bytes, some of them on a watched page, for the guest. */
  kernelReads(address: number, length: number): void;
  /** The kernel has overwritten these bytes, or a file call changed what is mapped there. */
  kernelStored(address: number, length: number): void;
  /** What the page held goes; its mapping is still there. */
  emptied(page: number): void;
  /** A call reads a file's contents, or is about to change them. */
  fileRead(file: number, offset: number, length: number): void;
  fileChanged(file: number): void;
}

/** Where a file's bytes lie in memory. */
export interface FileMapping {
  readonly start: number;
  readonly end: number;
  /** By its number, and of which byte of it the mapping's first is. */
  readonly file: number;
  readonly offset: number;
  /** What is stored there is the file's. */
  readonly shared: boolean;
}

const halfBits = 2;
const registerBytes: Readonly<Record<ValueType, number>> = { i32: 4, i64: 8, f32: 4, f64: 8, v128: 16 };

export class MachinePort {
  readonly #memory: GuestMemory;
  readonly #kernel: Kernel;
  readonly #processor: Processor;
  readonly #watcher: Watcher;
  readonly #turnLeft: () => number;

  constructor(memory: GuestMemory, kernel: Kernel, processor: Processor, watcher: Watcher, turnLeft: () => number) {
    this.#watcher = watcher;
    this.#memory = memory;
    this.#kernel = kernel;
    this.#processor = processor;
    this.#turnLeft = turnLeft;
  }

  listen(listener: PortListener): void {
    const { hooks } = this.#memory;
    this.#memory.hooks = {
      ...hooks,
      persistentStore: (address, length) => {
        hooks.persistentStore(address, length);
        listener.kernelStored(address, length);
      },
      kernelStored: (address, length) => {
        hooks.kernelStored(address, length);
        listener.kernelStored(address, length);
      },
      emptied: (page) => {
        hooks.emptied(page);
        listener.emptied(page);
      },
      watchedUsed: (what, address, length) => {
        if (what === "watchRead") listener.kernelReads(address, length);
      },
    };
    this.#watcher.calls = {
      read: (file, offset, length) => listener.fileRead(file, offset, length),
      changed: (file) => listener.fileChanged(file),
    };
  }

  // ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** The number of the file at a path; undefined where there is none. */
  fileAt(path: string): number | undefined {
    const found = this.#kernel.files.find(path);
    return found < 0 ? undefined : found;
  }
  get fileMappings(): readonly FileMapping[] {
    return this.#kernel.areas.flatMap(({ start, end, file, shared }) =>
      file === undefined ? [] : [{ start, end, file: file.inode, offset: file.offset, shared }],
    );
  }
  mappingAt(address: number): FileMapping | undefined {
    const area = this.#kernel.areaAt(address);
    if (area?.file === undefined) return undefined;
    const { start, end, file, shared } = area;
    return { start, end, file: file.inode, offset: file.offset, shared };
  }
  /** Of the file itself, whatever mappings show. */
  writeFileByte(file: number, offset: number, value: number): void {
    this.#kernel.files.writePages(file as InodeId, offset, Uint8Array.of(value));
  }

  // ── The running thread ──────────────────────────────────────────────────────────────────────────────────────

  get thread(): number {
    return this.#kernel.currentThread;
  }
  /** Instructions left of its turn; 0: nobody's turn has begun. */
  get turnLeft(): number {
    return this.#turnLeft();
  }
  /** The name of the call that it is about to make, where a system call comes next. */
  get callName(): string | undefined {
    return this.#kernel.callName;
  }
  get({ offset, type }: Register): bigint {
    return this.read(cpuAddress(offset), registerBytes[type]);
  }
  put({ offset, type }: Register, value: bigint): void {
    const at = cpuAddress(offset);
    for (let i = 0; i < registerBytes[type]; i++) this.#memory.bytes[at + i] = Number((value >> BigInt(8 * i)) & 0xffn);
  }

  /** As they are noted, not worked out. */
  get flags(): NotedFlags<bigint> {
    const { view } = this.#memory;
    const code = view.getUint32(cpuAddress(cpuOffset.flagsKind), true);
    const width = widths[code & 3]!;
    const kind = flagsKinds[(code & codeMask) >>> 2]!;
    const operand = (offset: number) =>
      BigInt.asUintN(kind === "raw" ? 32 : width, view.getBigUint64(cpuAddress(offset), true));
    const noted = {
      kind,
      width: kind === "raw" ? (32 as const) : width,
      left: operand(cpuOffset.flagsLeft),
      right: operand(cpuOffset.flagsRight),
      result: operand(cpuOffset.flagsResult),
    };
    return code & carryNoted ? { ...noted, carry: BigInt((code >>> carryShift) & 3) } : noted;
  }
  /** The six flags in their EFLAGS positions. */
  putFlags(bits: bigint): void {
    const { view } = this.#memory;
    view.setUint32(cpuAddress(cpuOffset.flagsKind), flagsCode("raw", 64), true);
    view.setBigUint64(cpuAddress(cpuOffset.flagsLeft), bits, true);
  }

  // ── Code ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What runs next, `limit` instructions at most; undefined where no code can run. */
  blockAt(address: number, limit: number): Block | undefined {
    this.#processor.dropStale();
    const { translator } = this.#processor;
    if (translator.isStop(address)) return translator.lift(address, 1);
    const whole = translator.translate(address)?.block;
    return whole === undefined || whole.instructions <= limit ? whole : translator.lift(address, limit);
  }

  /** Where the memory operand lies of the instruction that comes next. */
  operandAddress(): number {
    const instruction = this.#processor.translator.decode(Number(this.#kernel.cpu.rip));
    const memory = instruction?.operands.find((operand): operand is Memory => operand.kind === "mem");
    assert(memory !== undefined, "port: the instruction has an operand in memory");
    const { cpu } = this.#kernel;
    const registerAt = (index: number | undefined) => (index === undefined ? 0n : cpu.gpr(index));
    const base = { fs: cpu.fsBase, gs: cpu.gsBase, none: 0n }[memory.segment ?? "none"];
    const sum = registerAt(memory.base) + registerAt(memory.index) * BigInt(memory.scale) + memory.displacement;
    return Number(BigInt.asUintN(64, BigInt.asUintN(8 * memory.addressSize, sum) + base));
  }

  // ── Memory ──────────────────────────────────────────────────────────────────────────────────────────────────

  canRead(address: number, size: number): boolean {
    return this.#memory.canRead(address, size);
  }
  canWrite(address: number, size: number): boolean {
    return this.#memory.canWrite(address, size);
  }
  byteAt(address: number): number {
    return this.#memory.bytes[address]!;
  }
  /** The first byte lowest. */
  read(address: number, size: number): bigint {
    const { view } = this.#memory;
    if (size === 8) return view.getBigUint64(address, true);
    if (size === 4) return BigInt(view.getUint32(address, true));
    let value = 0n;
    for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.#memory.bytes[address + i]!);
    return value;
  }
  writeByte(address: number, value: number): void {
    this.#memory.put(address, Uint8Array.of(value));
  }

  watchPage(page: number, on: boolean): void {
    this.#memory.setBits(page * pageSize, pageSize, info.watched, on);
  }
  isWatched(page: number): boolean {
    return (this.#memory.infoOf(page) & info.watched) !== 0;
  }
  pageOf(address: number): number {
    return address >>> pageBits;
  }
  /** What becomes of uses of watched pages: marks are what `markAt` has set. */
  set uses(how: keyof typeof use) {
    this.#memory.view.setUint32(cpuAddress(cell.stopAtUse), use[how], true);
  }
  /** The aligned four bytes that an address lies in. */
  markAt(address: number, on: boolean): void {
    const half = address >>> halfBits;
    const at = layout.used + (half >>> 3);
    const bit = 1 << (half & 7);
    this.#memory.bytes[at] = on ? this.#memory.bytes[at]! | bit : this.#memory.bytes[at]! & ~bit;
  }
  /** Runs stop, as at a use, before the first block that has to do with one of these; until then no compiled region is entered. */
  stopBefore(registers: Iterable<Register>, andFlags: boolean): void {
    let touches = andFlags ? flagsTouch : 0n;
    for (const register of registers) touches |= registerTouch(register);
    this.#memory.view.setBigUint64(cpuAddress(cell.taint), touches, true);
  }
  /** Stops before no register's use; runs of a few instructions are quicker so, since no region has to decline them. */
  interpret(): void {
    this.#memory.view.setBigUint64(cpuAddress(cell.taint), noTouch, true);
  }
}
