/**
 * The interpreter and dispatcher, one WebAssembly function: (block, until) → stop code. It looks rip up, calls a compiled
 * region where there is one, else walks the block's bytecode. Every case of the big switch is made from the
 * instruction's row, so interpreter and JIT share one table of meanings; what ordinary code seldom has is another
 * function (machine/runtime/rare.ts). It ends with 0 when an indirect jump or a
 * region arrives at `until`.
 */
import { assert } from "../../base/index.ts";
import { cpuOffset } from "../../isa/ir/index.ts";
import { Code, type Label, numeric, type ValueType } from "../../isa/wasm/index.ts";
import type { ContextFunctions } from "./contexts.ts";
import { emitFindBlock } from "./dispatch.ts";
import { emitEnterBlock } from "./enter-block.ts";
import { type FlagFunctions, writeCarry } from "./flags.ts";
import { cell, cpuAddress, fast, layout, pageBits, pageSize, stop } from "./layout.ts";
import { isWide, loads, type MemoryFunctions, stores, vectorBytes } from "./memory.ts";
import { header, type Instruction, instructions, isRare, seenTargets, wordsOf } from "./opcodes.ts";
import { rareGroupSize } from "./rare.ts";
import { Slots } from "./slots.ts";

export interface InterpreterContext {
  readonly memory: MemoryFunctions;
  readonly flags: FlagFunctions;
  readonly contexts: ContextFunctions;
  /** (pc) → bytes to go on by, a function for each group of instructions (machine/runtime/rare.ts). */
  readonly rare: readonly number[];
  /** (kind, address, rip) → 0 or stop code. */
  readonly event: number;
  /** (kind, number, address i64, size, rip). */
  readonly patch: number;
  /** () → 0 or stop code: makes the instruction at rip and moves rip on. */
  readonly complex: number;
  /** (address of the instruction): its access takes a slow path. */
  readonly noteSlow: number;
  /** Type index of () → i32, for compiled regions. */
  readonly regionType: number;
}

export function interpreterFunction(context: InterpreterContext): Code {
  return new Interpreter(context).build();
}

class Interpreter {
  readonly #context: InterpreterContext;
  readonly #c = new Code(["i32", "i64"]);
  readonly #block = 0;
  readonly #until = 1;
  readonly #pc = this.#c.local("i32");
  readonly #slots = new Slots(this.#c, this.#pc);
  readonly #code = this.#c.local("i32");
  readonly #depth = this.#c.local("i32");
  readonly #low = this.#c.local("i32");
  readonly #address = this.#c.local("i64");
  readonly #rip = this.#c.local("i64");
  readonly #before = this.#c.local("i64");
  readonly #taint = this.#c.local("i64");
  readonly #link = this.#c.local("i32");
  readonly #entry = this.#c.local("i32");
  #next: Label = 0;
  #stop: Label = 0;
  #enter: Label = 0;
  #lookup: Label = 0;
  readonly #values = new Map<ValueType, number>();
  /** Whether the next part of a sequence comes right behind. */
  #isFollowed = false;

  constructor(context: InterpreterContext) {
    this.#context = context;
  }

  build(): Code {
    const c = this.#c;
    const dispatch = c.loop();
    this.#stop = c.block();
    this.#lookup = c.block();
    c.get(this.#block).op("i32.eqz").brIf(this.#lookup);
    this.#enter = c.loop();
    const [block, pc, code, depth] = [this.#block, this.#pc, this.#code, this.#depth];
    emitEnterBlock(c, { block, pc, code, depth, before: this.#before, taint: this.#taint }, { dispatch, regionType: this.#context.regionType }); // biome-ignore format: one call
    this.#next = c.loop();
    this.#switch();
    c.end(); // next
    c.end(); // enter
    c.end(); // lookup
    this.#find(dispatch);
    c.end(); // stop
    this.#leave();
    c.end(); // dispatch
    c.unreachable();
    return c;
  }

  #advance(words: number): void {
    this.#c
      .get(this.#pc)
      .i32(4 * words)
      .op("i32.add")
      .set(this.#pc);
    if (!this.#isFollowed) this.#c.br(this.#next);
  }

  /** One after the other, without a look at the opcodes between. */
  #sequence(parts: readonly Instruction[]): void {
    for (const [index, part] of parts.entries()) {
      this.#isFollowed = index < parts.length - 1;
      this.#case(part);
    }
  }

  /** rip → block through the dispatch cache, or back to the machine. `link`, if any, is patched. */
  #find(dispatch: Label): void {
    const c = this.#c;
    const miss = c.block();
    c.i32(0)
      .memory("i64.load", cpuAddress(cpuOffset.rip))
      .tee(this.#rip)
      .i64(32n)
      .op("i64.shr_u")
      .i64(0n)
      .op("i64.ne")
      .brIf(miss);
    c.get(this.#rip).get(this.#until).op("i64.eq").if_();
    c.i32(stop.none).return_();
    c.end();
    c.get(this.#rip).op("i32.wrap_i64").set(this.#low);
    emitFindBlock(c, this.#low, this.#entry, miss);
    c.tee(this.#block).op("i32.eqz").brIf(miss);
    c.get(this.#link).if_();
    c.get(this.#link).get(this.#block).memory("i32.store");
    c.end();
    c.i32(0).set(this.#link).br(dispatch);
    c.end();
    c.i32(stop.miss).return_();
  }

  /** A fault, trap or machine-made exit at the instruction under `pc`: words 3 and 4 are its address and what to refund. */
  #leave(): void {
    const c = this.#c;
    c.i32(0);
    this.#slots.wideWord(3).memory("i64.store", cpuAddress(cpuOffset.rip));
    c.i32(0).i32(0).memory("i64.load", cpuAddress(cell.fuel));
    this.#slots.wideWord(4).op("i64.add").memory("i64.store", cpuAddress(cell.fuel));
    c.i32(0).i32(0).memory("i32.store", cpuAddress(cell.stop));
    c.get(this.#code).return_();
  }
  #switch(): void {
    const c = this.#c;
    const common = instructions.filter((instruction) => !isRare(instruction));
    const rare = c.block();
    const labels = common.map(() => c.block()).reverse();
    this.#slots.word(0).brTable(labels, rare);
    for (const instruction of common) {
      c.end();
      this.#case(instruction);
    }
    c.end(); // rare
    this.#rare(common.length);
  }

  /** Opcodes from `first` on, each in the function of its group. */
  #rare(first: number): void {
    const c = this.#c;
    const groups = this.#context.rare;
    const other = c.block();
    const labels = groups.map(() => c.block()).reverse();
    this.#slots.word(0).i32(first).op("i32.sub").i32(rareGroupSize).op("i32.div_u").brTable(labels, other);
    for (const group of groups) {
      c.end();
      c.get(this.#pc).get(this.#pc).call(group).op("i32.add").set(this.#pc).br(this.#next);
    }
    c.end(); // other
    c.unreachable();
  }

  #case(instruction: Instruction): void {
    switch (instruction.kind) {
      case "numeric": {
        const { params, result } = numeric[instruction.name];
        this.#slots.pure(params, result, () => this.#c.op(instruction.name, instruction.lane));
        return this.#advance(wordsOf(instruction));
      }
      case "copy":
        this.#slots.copy(instruction.type);
        return this.#advance(wordsOf(instruction));
      case "select":
        this.#slots.select(instruction.type);
        return this.#advance(wordsOf(instruction));
      case "load":
        return this.#load(instruction);
      case "store":
        return this.#store(instruction);
      case "sequence":
        return this.#sequence(instruction.parts);
      case "macro":
      case "helper":
        return assert(false, "runtime: macros and helpers are rare");
      default:
        return this.#specials[instruction.kind]();
    }
  }

  /** Leaves 1 if the access may go straight to memory; `address` and `low` are set. */
  #fastCheck(bit: number, size: number): void {
    const c = this.#c;
    c.get(this.#address).i64(32n).op("i64.shr_u").op("i64.eqz");
    c.get(this.#address)
      .op("i32.wrap_i64")
      .tee(this.#low)
      .i32(pageBits)
      .op("i32.shr_u")
      .memory("i32.load8_u", layout.pageFast);
    c.i32(bit).op("i32.and").i32(0).op("i32.ne").op("i32.and");
    if (bit === fast.write && size > 1)
      c.get(this.#low)
        .i32(pageSize - 1)
        .op("i32.and")
        .i32(pageSize - size)
        .op("i32.le_u")
        .op("i32.and");
  }
  #aligned(on: boolean): void {
    if (!on) return;
    const c = this.#c;
    c.get(this.#address).i64(15n).op("i64.and").i64(0n).op("i64.ne").if_();
    c.i32(stop.protection).set(this.#code).br(this.#stop);
    c.end();
  }

  #load({ name, aligned }: Instruction & { kind: "load" }): void {
    const c = this.#c;
    const row = loads[name];
    this.#slots.slot(2, "i64").set(this.#address);
    this.#aligned(aligned);
    this.#fastCheck(fast.read, row.size);
    c.if_();
    this.#slots.word(1).get(this.#low).memory(row.op);
    this.#slots.result(row.type);
    c.else_();
    this.#slots.word(3).call(this.#context.noteSlow);
    this.#slots.word(1).get(this.#address);
    this.#slots.word(3).call(this.#context.memory.load[name]);
    const value = this.#valueLocal(row.type);
    c.set(value);
    c.i32(0).memory("i32.load", cpuAddress(cell.stop)).tee(this.#code).if_();
    c.br(this.#stop);
    c.end();
    c.get(value);
    this.#slots.result(row.type);
    c.end();
    this.#advance(5);
  }

  /** One for all cases: each more is one more to clear whenever the interpreter is entered. */
  #valueLocal(type: ValueType): number {
    const local = this.#values.get(type) ?? this.#c.local(type);
    this.#values.set(type, local);
    return local;
  }

  #store({ name, aligned }: Instruction & { kind: "store" }): void {
    const c = this.#c;
    const row = stores[name];
    this.#slots.slot(1, "i64").set(this.#address);
    this.#aligned(aligned);
    this.#fastCheck(fast.write, row.size);
    c.if_();
    // A second vector comes behind what all stores have.
    const values = isWide(row) ? [2, 5] : [2];
    for (const [i, word] of values.entries()) {
      c.get(this.#low);
      this.#slots.slot(word, row.type).memory(row.op, i * vectorBytes);
    }
    c.else_();
    this.#slots.word(3).call(this.#context.noteSlow);
    c.get(this.#address);
    for (const word of values) this.#slots.slot(word, row.type);
    this.#slots.word(3).call(this.#context.memory.store[name]).tee(this.#code).brIf(this.#stop);
    c.end();
    this.#advance(4 + values.length);
  }

  #noteFlags(): void {
    const c = this.#c;
    c.i32(0);
    this.#slots.word(1).memory("i32.store", cpuAddress(cpuOffset.flagsKind));
    for (const [i, offset] of [cpuOffset.flagsLeft, cpuOffset.flagsRight, cpuOffset.flagsResult].entries()) {
      c.i32(0);
      this.#slots.slot(2 + i, "i64").memory("i64.store", cpuAddress(offset));
    }
  }
  #noteCarry(): void {
    const c = this.#c;
    const kind = cpuAddress(cpuOffset.flagsKind);
    c.i32(0);
    writeCarry(
      c,
      () => c.i32(0).memory("i32.load", kind),
      () => this.#slots.slot(1, "i32"),
    );
    c.memory("i32.store", kind);
  }
  #notedFlags(): void {
    const c = this.#c;
    c.i32(0).memory("i32.load", cpuAddress(cpuOffset.flagsKind));
    for (const offset of [cpuOffset.flagsLeft, cpuOffset.flagsRight, cpuOffset.flagsResult])
      c.i32(0).memory("i64.load", cpuAddress(offset));
  }
  #askFlags(index: number): void {
    this.#slots.word(1);
    this.#slots.word(2);
    this.#notedFlags();
    this.#c.call(index);
    this.#slots.result("i32");
    this.#advance(3);
  }

  /** Goes to the block whose address is in the link word at `index`, or looks the target (the word before) up. */
  #follow(index: number): void {
    const c = this.#c;
    this.#slots.word(index).tee(this.#block).brIf(this.#enter);
    c.get(this.#pc)
      .i32(4 * index)
      .op("i32.add")
      .set(this.#link);
    c.i32(0);
    this.#slots.wideWord(index - 1).memory("i64.store", cpuAddress(cpuOffset.rip));
    c.br(this.#lookup);
  }

  readonly #specials = {
    shuffle: () => {
      // A lane number of 16 or more selects nothing in `left`; less sixteen, one below it selects nothing in `right`.
      const c = this.#c;
      this.#slots.word(1);
      this.#slots.slot(2, "v128");
      this.#slots.slot(4, "v128").op("i8x16.swizzle");
      this.#slots.slot(3, "v128");
      this.#slots.slot(4, "v128");
      c.i32(16).op("i8x16.splat").op("i8x16.sub").op("i8x16.swizzle").op("v128.or");
      this.#slots.result("v128");
      this.#advance(5);
    },
    flags: () => {
      this.#noteFlags();
      this.#advance(5);
    },
    flagsIf: () => {
      this.#slots.slot(5, "i32").if_();
      this.#noteFlags();
      this.#c.end();
      this.#advance(6);
    },
    carry: () => {
      this.#noteCarry();
      this.#advance(2);
    },
    carryIf: () => {
      this.#slots.slot(2, "i32").if_();
      this.#noteCarry();
      this.#c.end();
      this.#advance(3);
    },
    flag: () => this.#askFlags(this.#context.flags.flag),
    condition: () => this.#askFlags(this.#context.flags.condition),
    probe: () => {
      this.#slots.slot(1, "i64");
      this.#slots.word(2).call(this.#context.memory.probe).tee(this.#code).brIf(this.#stop);
      this.#advance(5);
    },
    storeIf: () => {
      const store = 5;
      this.#slots.slot(1, "i32").op("i32.eqz").if_();
      this.#advance(2 + store);
      this.#c.end();
      this.#advance(2);
    },
    trapIf: () => {
      this.#slots.slot(1, "i32").if_();
      this.#slots.word(2).set(this.#code).br(this.#stop);
      this.#c.end();
      this.#advance(5);
    },
    flush: () => {
      this.#slots.word(2);
      this.#slots.slot(1, "i64");
      this.#slots.word(3).call(this.#context.event).tee(this.#code).brIf(this.#stop);
      this.#advance(5);
    },
    fence: () => {
      this.#slots.word(2).i64(0n);
      this.#slots.word(3).call(this.#context.event).tee(this.#code).brIf(this.#stop);
      this.#advance(5);
    },
    patch: () => {
      this.#slots.word(3);
      this.#slots.word(5);
      this.#slots.slot(1, "i64");
      this.#slots.word(2);
      this.#slots.word(4).call(this.#context.patch);
      this.#advance(6);
    },
    enter: () => {
      this.#slots.slot(1, "i32");
      this.#slots.word(2).call(this.#context.contexts.enter);
      this.#advance(3);
    },
    prune: () => {
      this.#slots.slot(1, "i32").call(this.#context.contexts.prune);
      this.#advance(2);
    },
    goto: () => this.#follow(2),
    branch: () => {
      this.#slots.slot(1, "i32").if_();
      this.#follow(3);
      this.#c.end();
      this.#follow(5);
    },
    jump: () => {
      const c = this.#c;
      this.#slots.slot(1, "i64").op("i32.wrap_i64").set(this.#low);
      c.get(this.#low).get(this.#low).i32(3).op("i32.shr_u").op("i32.xor");
      c.i32(seenTargets - 1)
        .op("i32.and")
        .i32(4)
        .op("i32.mul")
        .get(this.#pc)
        .op("i32.add")
        .get(this.#low)
        .memory("i32.store", 8);
      c.i32(0);
      this.#slots.slot(1, "i64").memory("i64.store", cpuAddress(cpuOffset.rip));
      c.i32(0).set(this.#link).br(this.#lookup);
    },
    complex: () => {
      const c = this.#c;
      c.i32(0);
      this.#slots.wideWord(3).memory("i64.store", cpuAddress(cpuOffset.rip));
      c.call(this.#context.complex).tee(this.#code).brIf(this.#stop);
      c.i32(0).set(this.#link).br(this.#lookup);
    },
    stale: () => {
      const c = this.#c;
      c.i32(0);
      this.#slots.wideWord(1).memory("i64.store", cpuAddress(cpuOffset.rip));
      c.i32(0).set(this.#link).br(this.#lookup);
    },
    stop: () => {
      this.#slots.word(2).set(this.#code).br(this.#stop);
    },
  };
}
