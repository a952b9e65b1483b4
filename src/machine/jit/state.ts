/**
 * The guest's state while a region runs: registers, pending flags and fuel in WebAssembly locals. Always:
 * - The local of a register that is dirty or live (liveness.ts) holds the guest's value, and memory may be older; else
 *   memory holds it.
 * - `flags.kind` is the pending flags' code, or -1 when the flags in memory are the ones that count; the operands are
 *   in the i64 locals for 64-bit kinds, else in the i32 ones.
 * Every rare way out sets `stop` and `rip` and branches to where all of it goes to memory; those that have the same
 * registers to write share the code.
 */
import { assert } from "../../base/index.ts";
import { carryNoted, codeMask, cpuOffset, flagsKinds, type Register, widths } from "../../isa/ir/index.ts";
import { Code, type Label, type ValueType } from "../../isa/wasm/index.ts";
import { cell, cpuAddress, emitMayTrap, emitModeIsUnusual } from "../runtime/index.ts";
import type { Pending } from "./conditions.ts";
import { isFloatMacro } from "./floats.ts";
import { type FlagsState, inMemory, unknownFlags } from "./flow.ts";
import type { LocalPool } from "./plan.ts";
import type { Region } from "./region.ts";
import { type RegisterSet, registersIn } from "./register-sets.ts";

const operandOffsets = [cpuOffset.flagsLeft, cpuOffset.flagsRight, cpuOffset.flagsResult] as const;
const wide = 3; // the low bits of a 64-bit kind's code

/** Where a way out lies: its guest address, and the fuel reserved for instructions that then do not run. */
export interface Site {
  readonly address: number;
  readonly unused: number;
  /** Registers that may have changed since they were last in memory. */
  readonly dirty: RegisterSet;
}

export class RegionState implements LocalPool {
  /** Parameter 0: how deep guest calls are nested. */
  readonly code = new Code(["i32"]);
  readonly depth = 0;
  readonly fuel = this.code.local("i64");
  readonly stop = this.code.local("i32");
  readonly rip = this.code.local("i64");
  readonly address = this.code.local("i64");
  readonly low = this.code.local("i32");
  readonly pageByte = this.code.local("i32");
  /** Ways out by what they have to write; the last of them is `exit`, which writes everything but registers. */
  readonly #exits = new Map<RegisterSet, Label>();
  #exit: Label = 0;
  readonly flagsKind = this.code.local("i32");
  readonly narrow = [this.code.local("i32"), this.code.local("i32"), this.code.local("i32")] as const;
  readonly wide = [this.code.local("i64"), this.code.local("i64"), this.code.local("i64")] as const;
  readonly #registers = new Map<Register, number>();
  readonly #setsFlags: boolean;
  readonly #usesFloats: boolean;
  /** Whether floating-point macros are called, not written in place (floats.ts). */
  readonly callsFloats: boolean;
  readonly #free: Record<ValueType, number[]> = { i32: [], i64: [], f32: [], f64: [], v128: [] };

  constructor(region: Region, callsFloats: boolean) {
    this.callsFloats = callsFloats;
    let setsFlags = false;
    let usesFloats = false;
    for (const { block } of region.nodes)
      for (const op of block.ops) {
        if (op.kind === "get" || op.kind === "put") this.#declare(op.register);
        if (op.kind === "flags" || op.kind === "carry") setsFlags = true;
        if (isFloatMacro(op)) usesFloats = true;
      }
    this.#setsFlags = setsFlags;
    this.#usesFloats = usesFloats;
  }

  #declare(register: Register): void {
    if (!this.#registers.has(register)) this.#registers.set(register, this.code.local(register.type));
  }

  take(type: ValueType): number {
    return this.#free[type].pop() ?? this.code.local(type);
  }
  give(type: ValueType, local: number): void {
    this.#free[type].push(local);
  }

  register(register: Register): number {
    return this.#registers.get(register)!;
  }

  // ── Between locals and memory ───────────────────────────────────────────────────────────────────────────────

  /** Takes over from memory what is needed: at the region's start and after a guest call. */
  load(live: RegisterSet): void {
    const c = this.code;
    if (this.#usesFloats) {
      (this.callsFloats ? emitMayTrap(c) : emitModeIsUnusual(c)).if_("none", 0);
      c.i32(0).return_();
      c.end();
    }
    for (const register of registersIn(live))
      c.i32(0).memory(`${register.type}.load`, cpuAddress(register.offset)).set(this.register(register));
    c.i32(0).memory("i64.load", cpuAddress(cell.fuel)).set(this.fuel);
    if (this.#setsFlags) c.i32(inMemory).set(this.flagsKind);
  }

  storeRegisters(registers: RegisterSet): void {
    for (const register of registersIn(registers))
      this.code.i32(0).get(this.register(register)).memory(`${register.type}.store`, cpuAddress(register.offset));
  }

  /** The fuel in hand plus what was reserved and is not used. */
  storeFuel(unused: number): void {
    const c = this.code;
    c.i32(0).get(this.fuel);
    if (unused !== 0) c.i64(BigInt(unused)).op("i64.add");
    c.memory("i64.store", cpuAddress(cell.fuel));
  }

  storeFlags(state: FlagsState): void {
    if (!this.#setsFlags || state === inMemory) return;
    const c = this.code;
    const kind = cpuAddress(cpuOffset.flagsKind);
    if (state !== unknownFlags) {
      this.#pushKind(state, c.i32(0)).memory("i32.store", kind);
      return this.#storeOperands((state & 3) === wide);
    }
    c.get(this.flagsKind).i32(0).op("i32.ge_s").if_();
    c.i32(0).get(this.flagsKind).memory("i32.store", kind);
    this.#isWide().if_();
    this.#storeOperands(true);
    c.else_();
    this.#storeOperands(false);
    c.end();
    c.end();
  }

  /** The code is known, but not what may lie beside it. */
  #pushKind(state: number, c: Code): Code {
    return state & carryNoted ? c.get(this.flagsKind) : c.i32(state);
  }

  #isWide(): Code {
    return this.code.get(this.flagsKind).i32(3).op("i32.and").i32(wide).op("i32.eq");
  }

  #storeOperands(isWide: boolean): void {
    for (const [i, offset] of operandOffsets.entries()) {
      this.code.i32(0);
      this.#operand(i, isWide).memory("i64.store", cpuAddress(offset));
    }
  }

  /** A pending operand as i64. */
  #operand(i: number, isWide: boolean): Code {
    return isWide ? this.code.get(this.wide[i]!) : this.code.get(this.narrow[i]!).op("i64.extend_i32_u");
  }

  // ── Pending flags ───────────────────────────────────────────────────────────────────────────────────────────

  pending(state: FlagsState): Pending {
    const width = widths[state & 3]!;
    const [left, right, result] = width === 64 ? this.wide : this.narrow;
    const flags = flagsKinds[(state & codeMask) >> 2]!;
    return { flags, width, left, right, result, kind: state & carryNoted ? this.flagsKind : undefined };
  }

  /** Leaves kind, left, right and result on the stack, for the runtime to evaluate. */
  pushFlags(state: FlagsState): void {
    const c = this.code;
    if (state >= 0) {
      this.#pushKind(state, c);
      for (const i of operandOffsets.keys()) this.#operand(i, (state & 3) === wide);
      return;
    }
    if (state === unknownFlags) this.takeFlagsFromMemory();
    if (state === unknownFlags) c.get(this.flagsKind);
    else c.i32(0).memory("i32.load", cpuAddress(cpuOffset.flagsKind));
    for (const [i, offset] of operandOffsets.entries()) {
      if (state === inMemory) {
        c.i32(0).memory("i64.load", cpuAddress(offset));
        continue;
      }
      this.#operand(i, true);
      this.#operand(i, false);
      this.#isWide().select("i64");
    }
  }

  /** If memory's flags count, makes the locals their equal. */
  takeFlagsFromMemory(): void {
    const c = this.code;
    c.get(this.flagsKind).i32(0).op("i32.lt_s").if_();
    c.i32(0).memory("i32.load", cpuAddress(cpuOffset.flagsKind)).set(this.flagsKind);
    for (const [i, offset] of operandOffsets.entries())
      c.i32(0).memory("i64.load", cpuAddress(offset)).tee(this.wide[i]!).op("i32.wrap_i64").set(this.narrow[i]!);
    c.end();
  }

  // ── Ways out ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Opens the blocks behind which the ways out lie. */
  openExits(sets: Iterable<RegisterSet>): void {
    this.#exit = this.code.block();
    this.#exits.set(0n, this.#exit);
    for (const set of sets) if (set !== 0n) this.#exits.set(set, this.code.block());
  }

  /** Goes to the shared way out; the stop code is in `stop`. */
  leave(site: Site): void {
    this.code.i64(BigInt(site.address)).set(this.rip);
    this.leaveToRip(site);
  }

  /** The same with the next instruction's address in `rip`. */
  leaveToRip({ unused, dirty }: Omit<Site, "address">): void {
    const c = this.code;
    this.returnFuel(unused);
    const exit = this.#exits.get(dirty);
    assert(exit !== undefined, "jit: every way out is known before the code is written");
    c.br(exit);
  }

  returnFuel(unused: number): void {
    if (unused !== 0) this.code.get(this.fuel).i64(BigInt(unused)).op("i64.add").set(this.fuel);
  }

  /** Closes what `openExits` opened: everything to memory. Leaves the stop code. */
  closeExits(): void {
    const c = this.code;
    for (const set of [...this.#exits.keys()].toReversed()) {
      c.end();
      if (set === 0n) break;
      this.storeRegisters(set);
      c.br(this.#exit);
    }
    this.storeFlags(unknownFlags);
    this.storeFuel(0);
    c.i32(0).get(this.rip).memory("i64.store", cpuAddress(cpuOffset.rip));
    c.i32(0).i32(0).memory("i32.store", cpuAddress(cell.stop));
    c.get(this.stop);
  }
}
