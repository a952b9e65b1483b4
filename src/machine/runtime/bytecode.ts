/**
 * Writes a block's bytecode (machine/runtime/opcodes.ts) into linear memory. A register read needs no instruction where the
 * register's own slot still holds the value at its last use; a register write right after the op that computes the
 * value lets that op write the register itself.
 */
import { assert } from "../../base/index.ts";
import {
  type Block,
  conditions,
  cpuOffset,
  type Exit,
  flagQuestion,
  flagsCode,
  type LoadKind,
  type Op,
  opArgs,
  opType,
  type Register,
  type StoreKind,
  type Trap,
  type Value,
} from "../../isa/ir/index.ts";
import type { ValueType } from "../../isa/wasm/index.ts";
import { codeOf } from "../../trace/record/index.ts";
import { cell, cpuAddress, stop, temporariesEnd } from "./layout.ts";
import { header, opcode, type Sequence, seenTargets, sequencesOf } from "./opcodes.ts";
import { touchesOf } from "./touches.ts";

export const trapStops: Readonly<Record<Trap, number>> = {
  divide: stop.divide,
  breakpoint: stop.breakpoint,
  undefined: stop.undefined,
  protection: stop.protection,
  float: stop.float,
};

/** Opcodes by what an op says, so that no name is put together for each op. */
const byType = (name: string): Readonly<Record<ValueType, number>> => ({
  i32: opcode(`${name}.i32`),
  i64: opcode(`${name}.i64`),
  f32: opcode(`${name}.f32`),
  f64: opcode(`${name}.f64`),
  v128: opcode(`${name}.v128`),
});
const copyCodes = byType("copy");
const selectCodes = byType("select");
const loadCodes: Readonly<Record<LoadKind, number>> = {
  "i32.load8_u": opcode("load8"),
  "i32.load16_u": opcode("load16"),
  "i32.load": opcode("load32"),
  "i64.load": opcode("load64"),
  "v128.load": opcode("load128"),
};
const alignedLoad = opcode("load128/aligned");
const storeNames: Readonly<Record<StoreKind, string>> = {
  "i32.store8": "store8",
  "i32.store16": "store16",
  "i32.store": "store32",
  "i64.store": "store64",
  "v128.store": "store128",
  "v256.store": "store256",
};
const storeCodes: Readonly<Record<StoreKind, number>> = {
  "i32.store8": opcode("store8"),
  "i32.store16": opcode("store16"),
  "i32.store": opcode("store32"),
  "i64.store": opcode("store64"),
  "v128.store": opcode("store128"),
  "v256.store": opcode("store256"),
};
const code = {
  shuffle: opcode("shuffle"),
  flags: opcode("flags"),
  flagsIf: opcode("flagsIf"),
  carry: opcode("carry"),
  carryIf: opcode("carryIf"),
  flag: opcode("flag"),
  condition: opcode("condition"),
  probe: opcode("probe"),
  storeIf: opcode("storeIf"),
  trapIf: opcode("trapIf"),
  flush: opcode("flush"),
  fence: opcode("fence"),
  patch: opcode("patch"),
  enter: opcode("enter"),
  prune: opcode("prune"),
  goto: opcode("goto"),
  stale: opcode("stale"),
  branch: opcode("branch"),
  jump: opcode("jump"),
  stop: opcode("stop"),
  complex: opcode("complex"),
} as const;

function loadCode({ access, aligned }: Op & { kind: "load" }): number {
  assert(!aligned || access === "v128.load", "runtime: only loads of sixteen bytes check their alignment");
  return aligned ? alignedLoad : loadCodes[access];
}

function storeCode({ access, nonTemporal, aligned }: Op & { kind: "store" }): number {
  if (!nonTemporal && !aligned) return storeCodes[access];
  return opcode(`${storeNames[access]}${nonTemporal ? "nt" : ""}${aligned ? "/aligned" : ""}`);
}

/** Where bytecode goes; `undefined` from `writeBlock` means there is no room left. */
export interface Arena {
  readonly view: DataView;
  next: number;
  readonly end: number;
}

/** More than any block needs: header, ops of at most eight words, constants. */
const roomFor = (block: Block) => header.bytes + block.ops.length * 48 + 96;

/** A block's place in the arena. An indirect jump, always the last, ends with words that tell where it went. */
export interface WrittenBlock {
  readonly header: number;
  readonly end: number;
}

/** Where the indirect jump, call or return that ends a block went: one target at least, if it ran, and not always all. */
export function targetsSeen(view: DataView, { end }: WrittenBlock): number[] {
  const words = Array.from({ length: seenTargets }, (_, i) => view.getUint32(end - 4 * (i + 1), true));
  return [...new Set(words.filter((target) => target !== 0))];
}

/** Other blocks may lead to this one for ever: from now on it leads to whatever block there is for its address. */
export function makeStale(view: DataView, block: number): void {
  view.setUint32(block + header.instructions, 0, true);
  view.setUint32(block + header.slot, 0, true);
  view.setBigUint64(block + header.touches, 0n, true);
  view.setUint32(block + header.bytes, code.stale, true);
  view.setUint32(block + header.bytes + 4, view.getUint32(block + header.rip, true), true);
}

export function writeBlock(arena: Arena, block: Block): WrittenBlock | undefined {
  if (arena.next + roomFor(block) > arena.end) return undefined;
  return writer.write(arena, block);
}

/** More than a block's ops: those of the last instruction may exceed the limit at which a block ends. */
const maxOps = 0x4000;
/** Registers are told apart by where they lie. */
const registerSlots = cpuOffset.threadEnd >>> 2;

const nowhere = new DataView(new ArrayBuffer(0));

/**
 * One writer, used again for every block: its tables are as long as any block needs, and hold what the last one left. Always: between
 * blocks it has no view of a machine's memory, which would stay as long as the writer.
 */
class BlockWriter {
  #view: DataView = nowhere;
  #ops: readonly Op[] = [];
  readonly #words = new Uint32Array(maxOps * 8);
  #count = 0;
  /** Where each instruction begins in `words`. */
  readonly #starts = new Uint32Array(2 * maxOps);
  #instructions = 0;
  readonly #slots = new Uint32Array(maxOps);
  /** Index of the last op that uses each value; the exit counts as one more. */
  readonly #lastUse = new Int32Array(maxOps);
  /** Index of the next `put` to the same register after each op that gets or puts one. */
  readonly #nextPut = new Int32Array(maxOps);
  readonly #putSeen = new Int32Array(registerSlots);
  #temporary = 0;
  #constants = 0;
  #site = 0;
  #rest = 0;

  /** Constants first, then the header and the code. */
  write(arena: Arena, block: Block): WrittenBlock {
    const { ops } = block;
    assert(ops.length < maxOps, "runtime: a block has few enough ops");
    this.#view = arena.view;
    this.#ops = ops;
    this.#count = 0;
    this.#instructions = 0;
    this.#temporary = firstTemporary;
    this.#constants = arena.next;
    this.#rest = block.instructions + 1;
    this.#lookAhead(block);
    for (let i = 0; i < ops.length; i++) this.#op(ops[i]!, i);
    this.#exit(block.exit);
    this.#combine();
    const start = ((this.#constants + 15) & ~15) >>> 0;
    const target = new Uint32Array(arena.view.buffer, start, header.bytes / 4 + this.#count);
    target[header.rip / 4] = block.start;
    target[header.instructions / 4] = block.instructions;
    target[header.executions / 4] = 0;
    target[header.slot / 4] = 0;
    target.set(touchesOf(block), header.touches / 4);
    target.set(this.#words.subarray(0, this.#count), header.bytes / 4);
    arena.next = start + target.byteLength;
    this.#view = nowhere;
    return { header: start, end: arena.next };
  }

  /** Fills in last uses and next puts, from the block's end on. */
  #lookAhead({ ops, exit }: Block): void {
    const [lastUse, nextPut, putSeen, end] = [this.#lastUse, this.#nextPut, this.#putSeen, ops.length];
    lastUse.fill(-1, 0, end);
    putSeen.fill(end);
    const atEnd = exitValue(exit);
    if (atEnd !== undefined) lastUse[atEnd] = end;
    for (let i = end - 1; i >= 0; i--) {
      const op = ops[i]!;
      if (op.kind === "get") nextPut[i] = putSeen[op.register.offset >>> 2]!;
      else if (op.kind === "put") {
        nextPut[i] = putSeen[op.register.offset >>> 2]!;
        putSeen[op.register.offset >>> 2] = i;
        if (lastUse[op.value]! < 0) lastUse[op.value] = i;
      } else if (op.kind !== "inst" && op.kind !== "const") {
        const args = opArgs(op);
        for (let k = 0; k < args.length; k++) if (lastUse[args[k]!]! < 0) lastUse[args[k]!] = i;
      }
    }
  }

  /** Gives instructions that follow one another the opcode that stands for all of them. */
  #combine(): void {
    for (let i = 0; i < this.#instructions; ) {
      const at = this.#starts[i]!;
      const found = sequencesOf(this.#words[at]!).find((sequence) => this.#isAt(sequence, i));
      if (found) this.#words[at] = found.code;
      i += found?.parts.length ?? 1;
    }
  }
  #isAt({ parts }: Sequence, first: number): boolean {
    if (first + parts.length > this.#instructions) return false;
    for (let i = 1; i < parts.length; i++) if (this.#words[this.#starts[first + i]!] !== parts[i]) return false;
    return true;
  }

  #emit(first: number, a: number): void {
    const at = this.#count;
    this.#starts[this.#instructions++] = at;
    this.#words[at] = first;
    this.#words[at + 1] = a;
    this.#count = at + 2;
  }
  #emit2(first: number, a: number, b: number): void {
    this.#emit(first, a);
    this.#words[this.#count++] = b;
  }
  #emit4(first: number, a: number, b: number, c: number, d: number): void {
    const at = this.#count;
    this.#emit(first, a);
    this.#words[at + 2] = b;
    this.#words[at + 3] = c;
    this.#words[at + 4] = d;
    this.#count = at + 5;
  }
  #emitArguments(first: number, target: number, args: readonly Value[]): void {
    const at = this.#count;
    this.#starts[this.#instructions++] = at;
    this.#words[at] = first;
    this.#words[at + 1] = target;
    for (let i = 0; i < args.length; i++) this.#words[at + 2 + i] = this.#slots[args[i]!]!;
    this.#count = at + 2 + args.length;
  }

  #constant(type: ValueType, value: bigint): number {
    const at = this.#constants;
    if (type === "i32") {
      this.#view.setUint32(at, Number(value), true);
      this.#view.setUint32(at + 4, 0, true);
    } else this.#view.setBigInt64(at, value, true);
    this.#constants += 8;
    if (type !== "v128") return at;
    this.#view.setBigInt64(at + 8, value >> 64n, true);
    this.#constants += 8;
    return at;
  }

  #newTemporary(index: number): number {
    const at = this.#temporary;
    this.#temporary += opType(this.#ops[index]!) === "v128" ? 16 : 8;
    assert(this.#temporary <= lastTemporary, "runtime: a block's temporaries fit their area");
    return at;
  }

  /** The slot that op `index` writes: the register it is put into right away, or a temporary. */
  #target(index: number): number {
    const put = this.#ops[index + 1];
    const direct =
      put !== undefined &&
      put.kind === "put" &&
      put.value === index &&
      put.register.type !== "i32" &&
      this.#lastUse[index]! <= this.#nextPut[index + 1]!;
    const at = direct ? cpuStart + put.register.offset : this.#newTemporary(index);
    this.#slots[index] = at;
    return at;
  }

  #op(op: Op, index: number): void {
    switch (op.kind) {
      case "inst":
        this.#site = op.address;
        this.#rest--;
        return;
      case "const":
        this.#slots[index] = this.#constant(op.type, op.value);
        return;
      case "get":
        return this.#get(op.register, index);
      case "put":
        return this.#put(op.register, this.#slots[op.value]!);
      case "pure": {
        const first = opcode(op.lane === undefined ? op.op : `${op.op}/${op.lane}`);
        return this.#emitArguments(first, this.#target(index), op.args);
      }
      case "load":
        return this.#emit4(loadCode(op), this.#target(index), this.#slots[op.address]!, this.#site, this.#rest);
      case "store":
        if (op.when !== undefined) this.#emit(code.storeIf, this.#slots[op.when]!);
        this.#emit4(storeCode(op), this.#slots[op.address]!, this.#slots[op.value]!, this.#site, this.#rest);
        if (op.upper !== undefined) this.#words[this.#count++] = this.#slots[op.upper]!;
        return;
      case "flags": {
        const first = op.when === undefined ? code.flags : code.flagsIf;
        const kind = flagsCode(op.flags, op.width);
        this.#emit4(first, kind, this.#slots[op.left]!, this.#slots[op.right]!, this.#slots[op.result]!);
        if (op.when !== undefined) this.#words[this.#count++] = this.#slots[op.when]!;
        return;
      }
      default:
        return this.#rareOp(op, index);
    }
  }

  #rareOp(op: Op, index: number): void {
    const slots = this.#slots;
    switch (op.kind) {
      case "shuffle": {
        const lanes = op.lanes.reduceRight((all, lane) => (all << 8n) | BigInt(lane), 0n);
        const [left, right] = [slots[op.left]!, slots[op.right]!];
        return this.#emit4(code.shuffle, this.#target(index), left, right, this.#constant("v128", lanes));
      }
      case "select":
        return this.#emitArguments(selectCodes[op.type], this.#target(index), [op.when, op.then, op.otherwise]);
      case "probe":
        return this.#emit4(code.probe, slots[op.address]!, op.size, this.#site, this.#rest);
      case "carry":
        if (op.when === undefined) return this.#emit(code.carry, slots[op.bits]!);
        return this.#emit2(code.carryIf, slots[op.bits]!, slots[op.when]!);
      case "flag":
        return this.#emit2(code.flag, this.#target(index), flagQuestion(op.flag));
      case "condition":
        return this.#emit2(code.condition, this.#target(index), conditions.indexOf(op.condition));
      case "call":
        return this.#emitArguments(opcode(`helper.${op.helper}`), this.#target(index), op.args);
      case "trap":
        return this.#emit4(code.trapIf, slots[op.when]!, trapStops[op.trap], this.#site, this.#rest);
      case "flush":
        return this.#emit4(code.flush, slots[op.address]!, codeOf[op.op], this.#site, this.#rest);
      case "patch":
        return this.#patch(op);
      case "frames":
        if (op.site === undefined) return this.#emit(code.prune, slots[op.stack]!);
        return this.#emit2(code.enter, slots[op.stack]!, op.site);
      case "fence":
        return this.#emit4(code.fence, 0, codeOf[op.op], this.#site, this.#rest);
    }
  }

  /** A fence is one byte at no address. */
  #patch({ op, number, address, size }: Op & { kind: "patch" }): void {
    const at = address === undefined ? this.#constant("i64", 0n) : this.#slots[address]!;
    this.#emit4(code.patch, at, Math.max(size, 1), codeOf[op], this.#site);
    this.#words[this.#count++] = number;
  }

  #put(register: Register, from: number): void {
    const to = cpuStart + register.offset;
    if (from !== to || register.type === "i32") this.#emit2(copyCodes[register.type], to, from);
  }

  #get(register: Register, index: number): void {
    const own = cpuStart + register.offset;
    const stays = this.#lastUse[index]! <= this.#nextPut[index]!;
    if (stays && register.type !== "i32") {
      this.#slots[index] = own;
      return;
    }
    const at = this.#newTemporary(index);
    this.#slots[index] = at;
    this.#emit2(copyCodes[register.type], at, own);
  }

  #jump(target: Value): void {
    this.#emit(code.jump, this.#slots[target]!);
    for (let i = 0; i < seenTargets; i++) this.#words[this.#count++] = 0;
  }

  #exit(exit: Exit): void {
    switch (exit.kind) {
      case "goto":
        return this.#emit2(code.goto, exit.target, 0);
      case "branch":
        this.#emit4(code.branch, this.#slots[exit.when]!, exit.target, 0, exit.otherwise);
        this.#words[this.#count++] = 0;
        return;
      case "call":
        return exit.known !== undefined ? this.#emit2(code.goto, exit.known, 0) : this.#jump(exit.target!);
      case "jump":
      case "return":
        return this.#jump(exit.target);
      case "syscall":
        return this.#emit4(code.stop, 0, stop.syscall, exit.next, 0);
      case "complex":
        return this.#emit4(code.complex, 0, 0, exit.address, 1);
      case "trap":
        return this.#emit4(code.stop, 0, trapStops[exit.trap], exit.address, 1);
    }
  }
}

const cpuStart = cpuAddress(0);
const firstTemporary = cpuAddress(cell.temporaries);
const lastTemporary = cpuAddress(temporariesEnd);

/** The value that an exit looks at. */
function exitValue(exit: Exit): Value | undefined {
  if (exit.kind === "branch") return exit.when;
  return exit.kind === "jump" || exit.kind === "return" || exit.kind === "call" ? exit.target : undefined;
}

const writer = new BlockWriter();
