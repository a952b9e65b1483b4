/**
 * Where the guest's CPU state lives: byte offsets from the CPU block's start (machine/runtime/layout.ts places the block).
 * Bytes 0–1023 belong to a thread and are swapped on a thread switch; what follows is the machine's own.
 * Vector registers have 32 bytes each; the upper half of a YMM register is a register of its own.
 */
import type { ValueType } from "../wasm/index.ts";

/** In x86's encoding order: the register number of an instruction is the index here. */
export const gprNames = [
  "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
  "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
] as const; // biome-ignore format: encoding order

export const cpuOffset = {
  gpr: 0,
  rip: 128,
  fsBase: 136,
  gsBase: 144,
  /** Direction flag: 0 or 1, apart from the lazily evaluated arithmetic flags. */
  direction: 152,
  /** The pending flags: `flagsKind` says how CF PF AF ZF SF OF follow from left, right and result (isa/ir/flags.ts). */
  flagsKind: 156,
  flagsLeft: 160,
  flagsRight: 168,
  flagsResult: 176,
  /** EFLAGS bits that are neither arithmetic nor DF: TF, NT, AC, ID. */
  eflagsRest: 184,
  mxcsr: 188,
  x87: 192,
  /** Eight physical registers, sixteen bytes apart: 64 bits of significand (an MMX register), then sign and exponent. */
  x87Registers: 256,
  xmm: 512,
  threadEnd: 1024,
} as const;

export type RegName =
  | (typeof gprNames)[number]
  | "rip" | "fsBase" | "gsBase" | "direction" | "eflagsRest" | "mxcsr"
  | `xmm${number}` | `ymm${number}h`; // biome-ignore format: one line per group

export interface Register {
  readonly name: RegName;
  readonly offset: number;
  readonly type: ValueType;
}

const register = (name: RegName, offset: number, type: ValueType): Register => ({ name, offset, type });

export const gprs: readonly Register[] = gprNames.map((name, i) => register(name, cpuOffset.gpr + 8 * i, "i64"));
export const xmms: readonly Register[] = Array.from({ length: 16 }, (_, i) =>
  register(`xmm${i}`, cpuOffset.xmm + 32 * i, "v128"),
);
/** Bits 128 to 255 of the YMM registers. */
export const uppers: readonly Register[] = Array.from({ length: 16 }, (_, i) =>
  register(`ymm${i}h`, cpuOffset.xmm + 32 * i + 16, "v128"),
);
export const control = {
  rip: register("rip", cpuOffset.rip, "i64"),
  fsBase: register("fsBase", cpuOffset.fsBase, "i64"),
  gsBase: register("gsBase", cpuOffset.gsBase, "i64"),
  direction: register("direction", cpuOffset.direction, "i32"),
  eflagsRest: register("eflagsRest", cpuOffset.eflagsRest, "i32"),
  mxcsr: register("mxcsr", cpuOffset.mxcsr, "i32"),
} as const;

/** Every register an IR block may name, in one order, so that tables can be indexed by it. */
export const registers: readonly Register[] = [...gprs, ...xmms, ...uppers, ...Object.values(control)];
