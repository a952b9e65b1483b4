/**
 * What machine-made instructions may touch: the registers in the CPU block, guest memory with all its checks, and the
 * clock. A load or store that the machine must look into first leaves a stop code in `stopped`, exactly as compiled code
 * would (machine/runtime/layout.ts); the instruction then notes its progress and returns that code, to be run again later.
 */
import type { CpuLevel } from "../../isa/x86/index.ts";
import type { StopCode } from "../runtime/index.ts";

export type ElementSize = 1 | 2 | 4 | 8;

export interface ComplexContext {
  /** What CPUID says of the processor. */
  readonly level: CpuLevel;
  /** The whole linear memory: guest addresses are indices. */
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Why the last `load` or `store` failed. */
  readonly stopped: StopCode;

  readGpr(index: number): bigint;
  writeGpr(index: number, value: bigint): void;
  /** All of EFLAGS as PUSHF would show it. */
  readEflags(): number;
  /** Sets CF PF AF ZF SF OF; the rest stays. */
  writeArithmeticFlags(bits: number): void;
  segmentBase(segment: "fs" | "gs" | undefined): bigint;

  /** Undefined: see `stopped`. */
  load(address: bigint, size: ElementSize): bigint | undefined;
  /** False: see `stopped`; nothing was stored. */
  store(address: bigint, size: ElementSize, value: bigint): boolean;
  /** The same for one byte of a non-temporal store. */
  storeByteNonTemporal(address: bigint, value: number): boolean;
  /** Whether a store would succeed; nothing is stored. */
  probe(address: bigint, size: ElementSize): boolean;
  /**
   * How many bytes from `address` on, `limit` at most, are ordinary memory that may be read (or stored to) directly in
   * `bytes`, without anyone having to be told. 0 when not even the first one is.
   */
  plainBytes(address: bigint, limit: number, access: "read" | "write"): number;

  /** The virtual time-stamp counter. */
  tsc(): bigint;
}
