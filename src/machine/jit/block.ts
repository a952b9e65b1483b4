/** Writes the ops of one block. The order of effects is the IR's; values are written as the block's plan says. */
import { assert } from "../../base/index.ts";
import {
  type Block, conditions, cpuOffset, flagQuestion, flagsCode, macros, type Op, opType, type Trap,
  type Value,
} from "../../isa/ir/index.ts"; // biome-ignore format: one line
import type { NumericName, ValueType } from "../../isa/wasm/index.ts";
import { codeOf } from "../../trace/record/index.ts";
import { cpuAddress, stop, writeCarry } from "../runtime/index.ts";
import { AccessWriter } from "./access.ts";
import { conditionOfFlag, writeCondition } from "./conditions.ts";
import { isFloatMacro, writeFloatMacro } from "./floats.ts";
import { afterFlagsOp, type FlagsState, inMemory, unknownFlags } from "./flow.ts";
import { helperName, type Imports } from "./imports.ts";
import type { AccessContext } from "./page-tests.ts";
import { BlockLocals, type BlockPlan, planBlock } from "./plan.ts";
import { upperBound } from "./ranges.ts";
import { bitOf, type RegisterSet } from "./register-sets.ts";
import type { RegionState, Site } from "./state.ts";
import { cannotLeave, type Member } from "./windows.ts";

export const trapStops: Readonly<Record<Trap, number>> = {
  divide: stop.divide,
  breakpoint: stop.breakpoint,
  undefined: stop.undefined,
  protection: stop.protection,
  float: stop.float,
};

/** What is known at a block's start (flow.ts, fuel.ts). */
export interface BlockStart {
  readonly flags: FlagsState;
  readonly deadFlags: ReadonlySet<number>;
  readonly dirty: RegisterSet;
  readonly reserve: number;
  /** Accesses that share a check, by op index. */
  readonly members: ReadonlyMap<number, Member>;
  /** True if the accesses of the instruction there are done where the fast way fails, not left to the interpreter. */
  readonly isSlow: (address: number) => boolean;
}

export class BlockWriter {
  readonly #state: RegionState;
  readonly #imports: Imports;
  readonly #access: AccessWriter;
  readonly #block: Block;
  readonly #start: BlockStart;
  readonly #locals: BlockLocals;
  readonly #plan: BlockPlan;
  #instruction: Omit<Site, "dirty">;
  #done = -1;
  /** What is known after the last op written. */
  flags: FlagsState;
  dirty: RegisterSet;

  constructor(state: RegionState, imports: Imports, block: Block, start: BlockStart) {
    this.#state = state;
    this.#imports = imports;
    this.#access = new AccessWriter(state, imports);
    this.#block = block;
    this.#start = start;
    this.#locals = new BlockLocals(state);
    this.#plan = planBlock(block, start.deadFlags, state.callsFloats, this.#locals);
    this.flags = start.flags;
    this.dirty = start.dirty;
    this.#instruction = { address: block.start, unused: start.reserve };
  }

  /** Where the instruction in hand leaves the region if it cannot be done. */
  get #site(): Site {
    return { ...this.#instruction, dirty: this.dirty };
  }

  /** Fuel reserved beyond this block. */
  get unusedAtEnd(): number {
    return this.#start.reserve - this.#block.instructions;
  }

  /** Afterwards only the exit's value may still be asked for, before anything else is written. */
  write(): void {
    for (const [i, op] of this.#block.ops.entries()) {
      if (op.kind === "inst") {
        this.#done++;
        this.#instruction = { address: op.address, unused: this.#start.reserve - this.#done };
      } else if (this.#plan.isEmitted[i]) this.#emit(op, i);
    }
    this.#locals.release();
  }

  // ── Values ──────────────────────────────────────────────────────────────────────────────────────────────────

  value(value: Value): void {
    const local = this.#plan.local[value]!;
    if (local >= 0) this.#state.code.get(local);
    else this.#compute(this.#block.ops[value]!, value);
  }

  /** Values that cost nothing to push twice. */
  #isCheap(value: Value): boolean {
    const kind = this.#block.ops[value]!.kind;
    return this.#plan.local[value]! >= 0 || kind === "get" || kind === "const";
  }

  /** Puts the address of op `index` into `address`, if anything about it has to be tested. */
  #address(address: Value, index: number): AccessContext {
    const site = this.#site;
    const member = this.#start.members.get(index);
    if (!cannotLeave(this.#block.ops[index]!, member)) {
      this.value(address);
      this.#state.code.set(this.#state.address);
    }
    return {
      site,
      known: this.#constant(address),
      bound: upperBound(this.#block, address),
      member,
      lean: member ? member.window.lean : !this.#start.isSlow(site.address),
    };
  }

  #compute(op: Op, index: number): void {
    const c = this.#state.code;
    switch (op.kind) {
      case "const":
        return void this.#pushConstant(op);
      case "get":
        return void c.get(this.#state.register(op.register));
      case "pure":
        if (isFloatMacro(op)) return this.#float(op);
        for (const value of op.args) this.value(value);
        if (op.op in macros) c.call(this.#imports.get(op.op)!);
        else c.op(op.op as NumericName, op.lane);
        return;
      case "shuffle":
        this.value(op.left);
        this.value(op.right);
        return void c.shuffle(op.lanes);
      case "select":
        this.value(op.then);
        this.value(op.otherwise);
        this.value(op.when);
        return void c.select(op.type);
      case "flag":
      case "condition":
        return this.#askFlags(op);
      case "call":
        for (const value of op.args) this.value(value);
        c.call(this.#imports.get(helperName(op.helper))!);
        return;
      case "load":
        return this.#access.load(op.access, op.aligned === true, this.#address(op.address, index));
      default:
        assert(false, `jit: ${op.kind} makes no value`);
    }
  }

  #float(op: Op & { kind: "pure" }): void {
    const state = this.#state;
    const c = state.code;
    const held: [ValueType, number][] = [];
    const args = op.args.map((value) => {
      const source = this.#block.ops[value]!;
      if (this.#plan.local[value]! >= 0) return this.#plan.local[value]!;
      if (source.kind === "get") return state.register(source.register);
      const type = opType(source)!;
      const local = state.take(type);
      held.push([type, local]);
      this.value(value);
      c.set(local);
      return local;
    });
    const constants = op.args.map((value) => this.#constant(value));
    const call = () => {
      for (const arg of args) c.get(arg);
      c.call(this.#imports.get(op.op)!);
    };
    if (state.callsFloats || !writeFloatMacro(state, op, args, constants, call)) call();
    for (const [type, local] of held) state.give(type, local);
  }

  #constant(value: Value): bigint | undefined {
    const op = this.#block.ops[value]!;
    return op.kind === "const" ? op.value : undefined;
  }

  /** Leaves if the i32 on the stack is not 0. */
  #leaveIf(trap: Trap): void {
    const c = this.#state.code;
    c.if_("none", 0);
    c.i32(trapStops[trap]).set(this.#state.stop);
    this.#state.leave(this.#site);
    c.end();
  }

  #pushConstant(op: Op & { kind: "const" }): void {
    const c = this.#state.code;
    if (op.type === "i32") c.i32(Number(BigInt.asIntN(32, op.value)));
    else if (op.type === "i64") c.i64(op.value);
    else {
      assert(op.type === "v128", "jit: floating-point constants are made from integers");
      c.v128(op.value);
    }
  }

  #askFlags(op: Op & { kind: "flag" | "condition" }): void {
    const condition = op.kind === "flag" ? (op.flag === "all" ? undefined : conditionOfFlag[op.flag]) : op.condition;
    const c = this.#state.code;
    if (this.flags >= 0 && writeCondition(c, this.#state.pending(this.flags), condition)) return;
    c.i32(op.kind === "flag" ? flagQuestion(op.flag) : conditions.indexOf(op.condition));
    this.#state.pushFlags(this.flags);
    c.call(this.#imports.get(op.kind)!);
  }

  // ── Effects ─────────────────────────────────────────────────────────────────────────────────────────────────

  #emit(op: Op, index: number): void {
    const state = this.#state;
    const c = state.code;
    switch (op.kind) {
      case "put":
        this.value(op.value);
        c.set(state.register(op.register));
        this.dirty |= bitOf(op.register);
        return;
      case "store":
        return this.#store(op, index);
      case "probe":
        return this.#access.probe(op.size, this.#address(op.address, index));
      case "flags":
        return this.#setFlags(op);
      case "carry":
        return this.#setCarry(op);
      case "trap":
        this.value(op.when);
        return this.#leaveIf(op.trap);
      case "flush":
        return this.#access.flush(op.op, this.#address(op.address, index));
      case "fence":
        return this.#access.fence(op.op, this.#site);
      case "patch":
        return this.#patch(op);
      case "frames":
        this.value(op.stack);
        c.op("i32.wrap_i64");
        if (op.site === undefined) c.call(this.#imports.get("prune")!);
        else c.i32(op.site).call(this.#imports.get("enter")!);
        return;
      default: {
        this.#compute(op, index);
        const local = this.#plan.local[index]!;
        if (local >= 0) c.set(local);
        else c.drop();
      }
    }
  }

  /** A fence is one byte at no address. */
  #patch({ op, number, address, size }: Op & { kind: "patch" }): void {
    const c = this.#state.code;
    c.i32(codeOf[op]).i32(number);
    if (address === undefined) c.i64(0n);
    else this.value(address);
    c.i32(Math.max(size, 1)).i32(this.#instruction.address).call(this.#imports.get("patch")!);
  }

  #store(op: Op & { kind: "store" }, index: number): void {
    if (op.when === undefined) return this.#storeAlways(op, index);
    this.value(op.when);
    this.#state.code.if_();
    this.#storeAlways(op, index);
    this.#state.code.end();
  }

  #storeAlways(op: Op & { kind: "store" }, index: number): void {
    const state = this.#state;
    const context = this.#address(op.address, index);
    const values = op.upper === undefined ? [op.value] : [op.value, op.upper];
    const type = opType(this.#block.ops[op.value]!)!;
    const held = values.map((value) => (this.#isCheap(value) ? undefined : state.take(type)));
    for (const [i, local] of held.entries()) {
      if (local === undefined) continue;
      this.value(values[i]!);
      state.code.set(local);
    }
    const push = held.map(
      (local, i) => () => void (local === undefined ? this.value(values[i]!) : state.code.get(local)),
    );
    this.#access.store(op, push, context);
    for (const local of held) if (local !== undefined) state.give(type, local);
  }

  #setFlags(op: Op & { kind: "flags" }): void {
    const state = this.#state;
    const c = state.code;
    const code = flagsCode(op.flags, op.width);
    const isWide = op.width === 64;
    const operands = isWide ? state.wide : state.narrow;
    const when = op.when === undefined ? undefined : state.take("i32");
    if (when !== undefined) {
      this.value(op.when!);
      c.set(when);
    }
    const targets = [...operands, state.flagsKind];
    for (const [i, local] of targets.entries()) {
      if (i === 3) c.i32(code);
      else this.#pushAs([op.left, op.right, op.result][i]!, isWide);
      if (when !== undefined)
        c.get(local)
          .get(when)
          .select(i === 3 || !isWide ? "i32" : "i64");
    }
    // Only now, because an operand may itself look at the flags.
    for (const local of targets.toReversed()) c.set(local);
    if (when !== undefined) state.give("i32", when);
    this.flags = afterFlagsOp(op, this.flags);
  }

  #setCarry(op: Op & { kind: "carry" }): void {
    const state = this.#state;
    const c = state.code;
    if (this.flags === unknownFlags) state.takeFlagsFromMemory();
    const cell = cpuAddress(cpuOffset.flagsKind);
    const isInMemory = this.flags === inMemory;
    const pushKind = () => {
      if (isInMemory) c.i32(0).memory("i32.load", cell);
      else if (this.flags >= 0) c.i32(this.flags);
      else c.get(state.flagsKind);
    };
    if (isInMemory) c.i32(0);
    writeCarry(c, pushKind, () => this.value(op.bits));
    if (op.when !== undefined) {
      if (isInMemory) pushKind();
      else c.get(state.flagsKind);
      this.value(op.when);
      c.select("i32");
    }
    if (isInMemory) c.memory("i32.store", cell);
    else c.set(state.flagsKind);
    this.flags = afterFlagsOp(op, this.flags);
  }

  #pushAs(value: Value, isWide: boolean): void {
    this.value(value);
    const type = opType(this.#block.ops[value]!);
    if (isWide && type === "i32") this.#state.code.op("i64.extend_i32_u");
    else if (!isWide && type === "i64") this.#state.code.op("i32.wrap_i64");
  }
}
