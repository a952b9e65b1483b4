/** The context of machine-made instructions over a guest's memory and its runtime. */
import { arithmeticFlags, arithmeticMask, cpuOffset, eflagsBit, flagsCode } from "../../isa/ir/index.ts";
import type { CpuLevel } from "../../isa/x86/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import {
  cell,
  cpuAddress,
  info,
  layout,
  pageBits,
  pageSize,
  type Runtime,
  type StopCode,
  stop,
} from "../runtime/index.ts";
import type { ComplexContext, ElementSize } from "./context.ts";

/** Stores to such pages go one by one, through the runtime. */
const notPlain = { read: info.watched, write: info.persistent | info.code | info.shared | info.watched } as const;
/** Bit 1 and IF are always set. */
const fixedFlags = 0x202;

type Load = (address: bigint, rip: number) => number | bigint;
type Store = (address: bigint, value: number | bigint, rip: number) => number;
type Flag = (which: number, kind: number, left: bigint, right: bigint, result: bigint) => number;

/** `worked` is told of bytes that one instruction goes through: they may be many. */
export function createComplexContext(
  memory: GuestMemory,
  runtime: Runtime,
  tsc: () => bigint,
  level: CpuLevel,
  worked: (units: number) => void = () => undefined,
): ComplexContext {
  return new MachineContext(memory, runtime, tsc, level, worked);
}

/** A single load or store, in bytes of a long piece. */
const singleUnits = 20;

class MachineContext implements ComplexContext {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly tsc: () => bigint;
  readonly level: CpuLevel;
  readonly #memory: GuestMemory;
  readonly #worked: (units: number) => void;
  readonly #loads: Readonly<Record<ElementSize, Load>>;
  readonly #stores: Readonly<Record<ElementSize, Store>>;
  readonly #storeByteNonTemporal: Store;
  readonly #flag: Flag;
  readonly #probe: (address: bigint, size: number) => number;
  stopped: StopCode = stop.none;

  constructor(
    memory: GuestMemory,
    runtime: Runtime,
    tsc: () => bigint,
    level: CpuLevel,
    worked: (units: number) => void,
  ) {
    this.#worked = worked;
    this.bytes = memory.bytes;
    this.view = memory.view;
    this.tsc = tsc;
    this.level = level;
    this.#memory = memory;
    const named = <T>(name: string) => runtime.exports[name] as T;
    this.#loads = { 1: named("load8"), 2: named("load16"), 4: named("load32"), 8: named("load64") };
    this.#stores = { 1: named("store8"), 2: named("store16"), 4: named("store32"), 8: named("store64") };
    this.#storeByteNonTemporal = named("store8nt");
    this.#flag = named("flag");
    this.#probe = named("probe");
  }

  get #rip(): number {
    return this.view.getUint32(cpuAddress(cpuOffset.rip), true);
  }

  readGpr(index: number): bigint {
    return this.view.getBigUint64(cpuAddress(cpuOffset.gpr + 8 * index), true);
  }
  writeGpr(index: number, value: bigint): void {
    this.view.setBigUint64(cpuAddress(cpuOffset.gpr + 8 * index), value, true);
  }

  readEflags(): number {
    const kind = this.view.getUint32(cpuAddress(cpuOffset.flagsKind), true);
    const [left, right, result] = [cpuOffset.flagsLeft, cpuOffset.flagsRight, cpuOffset.flagsResult].map((offset) =>
      this.view.getBigInt64(cpuAddress(offset), true),
    );
    const direction = this.view.getUint32(cpuAddress(cpuOffset.direction), true) << eflagsBit.d;
    const rest = this.view.getUint32(cpuAddress(cpuOffset.eflagsRest), true);
    return arithmeticFlags.reduce(
      (bits, name, which) => bits | (this.#flag(which, kind, left!, right!, result!) << eflagsBit[name]),
      fixedFlags | direction | rest,
    );
  }
  writeArithmeticFlags(bits: number): void {
    this.view.setUint32(cpuAddress(cpuOffset.flagsKind), flagsCode("raw", 32), true);
    this.view.setBigUint64(cpuAddress(cpuOffset.flagsLeft), BigInt(bits & arithmeticMask), true);
  }
  segmentBase(segment: "fs" | "gs" | undefined): bigint {
    if (!segment) return 0n;
    return this.view.getBigUint64(cpuAddress(segment === "fs" ? cpuOffset.fsBase : cpuOffset.gsBase), true);
  }

  load(address: bigint, size: ElementSize): bigint | undefined {
    this.#worked(singleUnits);
    this.view.setUint32(cpuAddress(cell.stop), stop.none, true);
    const value = this.#loads[size](BigInt.asIntN(64, address), this.#rip);
    this.stopped = this.view.getUint32(cpuAddress(cell.stop), true) as StopCode;
    if (this.stopped !== stop.none) {
      this.view.setUint32(cpuAddress(cell.stop), stop.none, true);
      return undefined;
    }
    return BigInt.asUintN(8 * size, BigInt(value));
  }
  store(address: bigint, size: ElementSize, value: bigint): boolean {
    this.#worked(singleUnits);
    const given = size === 8 ? BigInt.asIntN(64, value) : Number(BigInt.asIntN(32, value));
    this.stopped = this.#stores[size](BigInt.asIntN(64, address), given, this.#rip) as StopCode;
    return this.stopped === stop.none;
  }
  storeByteNonTemporal(address: bigint, value: number): boolean {
    this.stopped = this.#storeByteNonTemporal(BigInt.asIntN(64, address), value, this.#rip) as StopCode;
    return this.stopped === stop.none;
  }

  probe(address: bigint, size: ElementSize): boolean {
    this.stopped = this.#probe(BigInt.asIntN(64, address), size) as StopCode;
    return this.stopped === stop.none;
  }

  plainBytes(address: bigint, limit: number, access: "read" | "write"): number {
    if (address >= BigInt(layout.guestEnd) || this.#memory.withheld !== 0) return 0;
    const start = Number(address);
    const end = Math.min(start + limit, layout.guestEnd);
    const needed = info[access];
    let at = start;
    while (at < end) {
      const page = at >>> pageBits;
      const is = this.#memory.infoOf(page);
      if ((is & (needed | notPlain[access])) !== needed) break;
      if (access === "write" && is & info.clean) this.#memory.touch(page);
      at = (page + 1) * pageSize;
      this.#worked(pageSize);
    }
    return Math.min(at, end) - start;
  }
}
