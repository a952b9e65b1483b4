/**
 * The IR: what one straight run of guest instructions does. Always:
 * - `ops` is in evaluation order and every op that has a value is named by its index (SSA within the block).
 * - Everything that can fault in an instruction comes before its first `put`, store excepted as the last fault, so a
 *   fault leaves the guest's registers as they were when the instruction began.
 * - 8- and 16-bit integers travel zero-extended in an i32; 32-bit ones in an i32; 64-bit ones in an i64.
 * - Guest addresses are i64; what is not a mapped 32-bit address faults.
 */
import type { Id } from "../../base/index.ts";
import type { NumericName, ValueType } from "../wasm/index.ts";
import type { ArithmeticFlag, Condition, FlagsKind, Width } from "./flags.ts";
import type { HelperName } from "./helpers.ts";
import type { MacroName } from "./macros.ts";
import type { Register } from "./registers.ts";

/** The index of the op that makes the value. */
export type Value = Id<"Value">;

export type LoadKind = "i32.load8_u" | "i32.load16_u" | "i32.load" | "i64.load" | "v128.load";
/** `v256.store` is one store of two vectors, which WebAssembly has not. */
export type StoreKind = "i32.store8" | "i32.store16" | "i32.store" | "i64.store" | "v128.store" | "v256.store";
export const accessSize = {
  "i32.load8_u": 1, "i32.load16_u": 2, "i32.load": 4, "i64.load": 8, "v128.load": 16,
  "i32.store8": 1, "i32.store16": 2, "i32.store": 4, "i64.store": 8, "v128.store": 16, "v256.store": 32,
} as const satisfies Record<LoadKind | StoreKind, number>; // biome-ignore format: two groups

export type FlushOp = "clflush" | "clflushopt" | "clwb";
export type FenceOp = "sfence" | "mfence" | "lfence" | "locked";
/** What a patch inserts (isa/lift/patches.ts). */
export type PatchOp = FlushOp | "sfence" | "mfence";
/** Exceptions an instruction raises by itself: #DE, #BP, #UD, #GP(0), #MF/#XM. */
export type Trap = "divide" | "breakpoint" | "undefined" | "protection" | "float";

export type Op =
  /** A guest instruction begins here. */
  | { readonly kind: "inst"; readonly address: number; readonly length: number }
  | { readonly kind: "const"; readonly type: ValueType; readonly value: bigint }
  | { readonly kind: "get"; readonly register: Register }
  | { readonly kind: "put"; readonly register: Register; readonly value: Value }
  /** A WebAssembly instruction (lane for those that take one) or one of our macros. */
  | {
      readonly kind: "pure";
      readonly op: NumericName | MacroName;
      readonly args: readonly Value[];
      readonly lane?: number;
    }
  | { readonly kind: "shuffle"; readonly left: Value; readonly right: Value; readonly lanes: readonly number[] }
  | {
      readonly kind: "select";
      readonly type: ValueType;
      readonly when: Value;
      readonly then: Value;
      readonly otherwise: Value;
    }
  /** `aligned`: #GP unless the address is a multiple of 16. */
  | { readonly kind: "load"; readonly access: LoadKind; readonly address: Value; readonly aligned?: true }
  | {
      readonly kind: "store";
      readonly access: StoreKind;
      readonly address: Value;
      readonly value: Value;
      /** The upper sixteen bytes of thirty-two. */
      readonly upper?: Value;
      readonly aligned?: true;
      readonly nonTemporal?: true;
      /** Stores only if it is not 0; a `probe` before it faults in either case. */
      readonly when?: Value;
    }
  /**
   * Faults exactly as a store of `size` bytes would, and does nothing else: for what must happen before a store and only
   * if that succeeds, as another store, or the fence of a locked operation.
   */
  | { readonly kind: "probe"; readonly address: Value; readonly size: number }
  /** Notes the pending flags; with `when`, only if it is not 0. i32 or i64 values, narrow ones zero-extended. */
  | {
      readonly kind: "flags";
      readonly flags: FlagsKind;
      readonly width: Width;
      readonly left: Value;
      readonly right: Value;
      readonly result: Value;
      readonly when?: Value;
    }
  /** Changes CF (bit 0) and OF (bit 1 of an i32) and no other flag; with `when`, only if it is not 0. */
  | { readonly kind: "carry"; readonly bits: Value; readonly when?: Value }
  /** i32 0 or 1. `all`: the six of them in their EFLAGS positions. */
  | { readonly kind: "flag"; readonly flag: ArithmeticFlag | "all" }
  | { readonly kind: "condition"; readonly condition: Condition }
  /** A JavaScript function over values and the CPU block (isa/ir/helpers.ts); never touches general or vector registers. */
  | { readonly kind: "call"; readonly helper: HelperName; readonly args: readonly Value[] }
  | { readonly kind: "trap"; readonly trap: Trap; readonly when: Value }
  | { readonly kind: "flush"; readonly op: FlushOp; readonly address: Value }
  | { readonly kind: "fence"; readonly op: FenceOp }
  /**
   * What the program lacks: a flush of `size` bytes, line by line, or a fence. It comes last in its instruction and cannot
   * fault. Whether patch `number` holds here, the calls in progress say (machine/runtime/patches.ts).
   */
  | {
      readonly kind: "patch";
      readonly op: PatchOp;
      readonly number: number;
      readonly address?: Value;
      readonly size: number;
    }
  /** For calling contexts: a call that returns to `site` put that address at `stack`; without a site, frames below `stack` are over. */
  | { readonly kind: "frames"; readonly stack: Value; readonly site?: number };

/** How a block ends. Addresses are guest code addresses. */
export type Exit =
  | { readonly kind: "goto"; readonly target: number }
  | { readonly kind: "branch"; readonly when: Value; readonly target: number; readonly otherwise: number }
  | { readonly kind: "jump"; readonly target: Value }
  /** The return address is already pushed. A constant target is a number. */
  | {
      readonly kind: "call";
      readonly target: Value | undefined;
      readonly known: number | undefined;
      readonly returnTo: number;
    }
  /** The address is already popped. */
  | { readonly kind: "return"; readonly target: Value }
  | { readonly kind: "syscall"; readonly next: number }
  /** Done by the machine on the state in memory: cpuid, string instructions, state saves (machine/complex). */
  | { readonly kind: "complex"; readonly name: string; readonly address: number; readonly next: number }
  | { readonly kind: "trap"; readonly trap: Trap; readonly address: number; readonly reason: string };

export interface Block {
  readonly start: number;
  /** The address after the last instruction. */
  readonly end: number;
  /** Guest instructions, the one that ends the block included. */
  readonly instructions: number;
  readonly ops: readonly Op[];
  readonly exit: Exit;
}
