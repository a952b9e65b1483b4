/**
 * What evaluating a block needs to know about values and about the guest: numbers, terms of a solver, intervals, taints. The
 * evaluator (evaluate.ts) walks the ops and does all that is the same for every domain. A domain has three parts, which can come
 * from different places: the algebra says what a value is, the guest's state holds registers, noted flags and memory, and the
 * effects are told what happens and decide what cannot be left open. It is complete: no op is handled elsewhere.
 *
 * Always:
 * - Calls come in the block's order, each op once. A value is never changed after it was made.
 * - Values have the op's type (`opType`); narrow integers are zero-extended in an i32, addresses are i64.
 * - `check` comes before each access. If it gives a fault, or a trap is decided on, nothing more is asked, and all that the
 *   instruction did before is reading (verify.ts, 9).
 * - Flags are asked of nobody: the evaluator works them out of what was noted, by numeric operations (flag-formulas.ts).
 *
 * Terms need no decision for `select`, for flags and stores with a condition, and for branches: only traps ask `decide`, and
 * whoever called `evaluate` goes on from a branch as it likes. A symbolic domain forks there, as it may in `check` for what an
 * address can be.
 */
import type { NumericName, ValueType } from "../wasm/index.ts";
import type { FenceOp, FlushOp, LoadKind, PatchOp, StoreKind } from "./block.ts";
import type { FlagsKind, Width } from "./flags.ts";
import type { HelperName } from "./helpers.ts";
import type { MacroName } from "./macros.ts";
import type { Register } from "./registers.ts";

/**
 * What the six arithmetic flags follow from (isa/ir/flags.ts). Of width 64 the values are i64, else i32; the kind `raw` has the
 * flags in `left`, an i32. `carry`: bits 0 and 1 of it are CF and OF in place of what the rest says.
 */
export interface NotedFlags<V> {
  readonly kind: FlagsKind;
  readonly width: Width;
  readonly left: V;
  readonly right: V;
  readonly result: V;
  readonly carry?: V | undefined;
}

/** What is about to happen to `size` bytes; a flush reads one. */
export interface Access<V> {
  readonly kind: "load" | "store" | "probe" | "flush";
  readonly address: V;
  readonly size: number;
  /** #GP unless the address is a multiple of 16. */
  readonly aligned: boolean;
}

export interface Store<V> {
  readonly access: StoreKind;
  readonly address: V;
  readonly value: V;
  /** The upper sixteen bytes of thirty-two. */
  readonly upper: V | undefined;
  readonly nonTemporal: boolean;
  /** Nothing is stored if this i32 is 0: a compare-and-swap that fails. */
  readonly when: V | undefined;
}

/** What a value is, and what is computed with values: no state, except that macros and helpers know MXCSR and the x87 unit. */
export interface Algebra<V> {
  /** i32 and i64 are given signed, v128 unsigned. */
  constant(type: ValueType, value: bigint): V;
  /** WebAssembly's numeric instructions: the table is isa/wasm/numeric.ts. */
  numeric(name: NumericName, args: readonly V[], lane: number | undefined): V;
  /** Sixteen lanes: below 16 bytes of `left`, from 16 on bytes of `right`. */
  shuffle(left: V, right: V, lanes: readonly number[]): V;
  select(type: ValueType, when: V, then: V, otherwise: V): V;
  /** Those of isa/ir/macros.ts; floating point looks at MXCSR and changes it. */
  macro(name: MacroName, args: readonly V[]): V;
  /** Those of isa/ir/helpers.ts: the x87 unit, MMX, MXCSR. */
  helper(name: HelperName, args: readonly V[]): V;
}

/** Registers, noted flags and memory. */
export interface GuestState<V, Fault = unknown> {
  get(register: Register): V;
  put(register: Register, value: V): void;
  flags: NotedFlags<V>;
  /** What keeps the access from being made, if anything does. */
  check(access: Access<V>): Fault | undefined;
  load(access: LoadKind, address: V): V;
  store(store: Store<V>): void;
}

/** What happens besides: told in order. */
export interface Effects<V> {
  /** The instruction at this address begins: what follows is its doing. */
  begin(address: number): void;
  /** Whether this i32 is other than 0: then the instruction traps. */
  decide(when: V): boolean;
  flush(op: FlushOp, address: V): void;
  fence(op: FenceOp): void;
  /** The op `patch`: whether it holds here is for the domain to say. */
  patch(op: PatchOp, number: number, address: V | undefined, size: number): void;
  /** A call that returns to `site` (see the op `frames`), or frames below `stack` are over. */
  frames(stack: V, site: number | undefined): void;
}

export interface Domain<V, Fault = unknown> extends Algebra<V>, GuestState<V, Fault>, Effects<V> {}
