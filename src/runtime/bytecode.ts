/**
 * Writes a block's bytecode (runtime/opcodes.ts) into linear memory. A register read needs no instruction where the
 * register's own slot still holds the value at its last use; a register write right after the op that computes the
 * value lets that op write the register itself.
 */
import { assert } from "../base/index.ts";
import {
  type Block,
  conditions,
  type Exit,
  flagQuestion,
  flagsCode,
  type Op,
  opArgs,
  opType,
  type Register,
  type Trap,
  type Value,
} from "../ir/index.ts";
import { eventCode } from "./events.ts";
import { cell, cpuAddress, stop, temporariesEnd } from "./layout.ts";
import { header, opcode, seenTargets } from "./opcodes.ts";

export const trapStops: Readonly<Record<Trap, number>> = {
  divide: stop.divide,
  breakpoint: stop.breakpoint,
  undefined: stop.undefined,
  protection: stop.protection,
  float: stop.float,
};

const loadNames = {
  "i32.load8_u": "load8",
  "i32.load16_u": "load16",
  "i32.load": "load32",
  "i64.load": "load64",
  "v128.load": "load128",
} as const;
const storeNames = {
  "i32.store8": "store8",
  "i32.store16": "store16",
  "i32.store": "store32",
  "i64.store": "store64",
  "v128.store": "store128",
} as const;

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

export function writeBlock(arena: Arena, block: Block): WrittenBlock | undefined {
  if (arena.next + roomFor(block) > arena.end) return undefined;
  return new BlockWriter(arena, block).write();
}

const noneSeen: readonly number[] = new Array(seenTargets).fill(0);

class BlockWriter {
  readonly #arena: Arena;
  readonly #block: Block;
  readonly #words: number[] = [];
  readonly #slots: number[] = [];
  readonly #lastUse: Int32Array;
  /** Index of the next `put` to the same register after each op that gets or puts one. */
  readonly #nextPut: Int32Array;
  #temporary: number = cpuAddress(cell.temporaries);
  #constants = 0;
  #site = 0;
  #rest: number;

  constructor(arena: Arena, block: Block) {
    this.#arena = arena;
    this.#block = block;
    this.#rest = block.instructions + 1;
    this.#lastUse = lastUses(block);
    this.#nextPut = nextPuts(block.ops);
    this.#constants = arena.next;
  }

  /** Constants first, then the header and the code. */
  write(): WrittenBlock {
    const { ops } = this.#block;
    for (let i = 0; i < ops.length; i++) this.#op(ops[i]!, i);
    this.#exit(this.#block.exit);
    const { view } = this.#arena;
    const at = (this.#constants + 15) & ~15;
    const start = at >>> 0;
    view.setUint32(start + header.rip, this.#block.start, true);
    view.setUint32(start + header.instructions, this.#block.instructions, true);
    view.setUint32(start + header.executions, 0, true);
    view.setUint32(start + header.slot, 0, true);
    const words = new Uint32Array(view.buffer, start + header.bytes, this.#words.length);
    words.set(this.#words);
    const end = start + header.bytes + words.byteLength;
    this.#arena.next = end;
    return { header: start, end };
  }

  #emit(name: string, ...words: number[]): void {
    this.#words.push(opcode(name), ...words);
  }

  #constant(op: Op & { kind: "const" }): number {
    const at = this.#constants;
    const { view } = this.#arena;
    view.setBigUint64(at, op.type === "i32" ? BigInt.asUintN(32, op.value) : BigInt.asUintN(64, op.value), true);
    this.#constants += 8;
    if (op.type !== "v128") return at;
    view.setBigUint64(at + 8, BigInt.asUintN(64, op.value >> 64n), true);
    this.#constants += 8;
    return at;
  }

  #newTemporary(index: number): number {
    const at = this.#temporary;
    this.#temporary += opType(this.#block.ops[index]!) === "v128" ? 16 : 8;
    assert(this.#temporary <= cpuAddress(temporariesEnd), "runtime: a block's temporaries fit their area");
    return at;
  }

  /** The slot that op `index` writes: the register it is put into right away, or a temporary. */
  #target(index: number): number {
    const put = this.#block.ops[index + 1];
    const direct =
      put?.kind === "put" &&
      put.value === index &&
      put.register.type !== "i32" &&
      this.#lastUse[index]! <= this.#nextPut[index + 1]!;
    const at = direct ? cpuAddress(put.register.offset) : this.#newTemporary(index);
    this.#slots[index] = at;
    return at;
  }

  #slot(value: Value): number {
    const slot = this.#slots[value];
    assert(slot !== undefined, "runtime: values are computed before they are used");
    return slot;
  }

  #op(op: Op, index: number): void {
    switch (op.kind) {
      case "inst":
        this.#site = op.address;
        this.#rest--;
        return;
      case "const":
        this.#slots[index] = this.#constant(op);
        return;
      case "get":
        return this.#get(op.register, index);
      case "put": {
        const from = this.#slot(op.value);
        const to = cpuAddress(op.register.offset);
        if (from !== to || op.register.type === "i32") this.#emit(`copy.${op.register.type}`, to, from);
        return;
      }
      case "pure": {
        const name = op.lane === undefined ? op.op : `${op.op}/${op.lane}`;
        const args = op.args.map((value) => this.#slot(value));
        return this.#emit(name, this.#target(index), ...args);
      }
      case "shuffle": {
        const lanes = op.lanes.reduceRight((all, lane) => (all << 8n) | BigInt(lane), 0n);
        const [left, right] = [this.#slot(op.left), this.#slot(op.right)];
        return this.#emit(
          "shuffle",
          this.#target(index),
          left,
          right,
          this.#constant({ kind: "const", type: "v128", value: lanes }),
        );
      }
      case "select": {
        const args = [op.when, op.then, op.otherwise].map((value) => this.#slot(value));
        return this.#emit(`select.${op.type}`, this.#target(index), ...args);
      }
      case "load": {
        const address = this.#slot(op.address);
        return this.#emit(
          `${loadNames[op.access]}${op.aligned ? "/aligned" : ""}`,
          this.#target(index),
          address,
          this.#site,
          this.#rest,
        );
      }
      case "store": {
        const name = `${storeNames[op.access]}${op.nonTemporal ? "nt" : ""}${op.aligned ? "/aligned" : ""}`;
        return this.#emit(name, this.#slot(op.address), this.#slot(op.value), this.#site, this.#rest);
      }
      case "probe":
        return this.#emit("probe", this.#slot(op.address), op.size, this.#site, this.#rest);
      case "flags": {
        const words = [flagsCode(op.flags, op.width), this.#slot(op.left), this.#slot(op.right), this.#slot(op.result)];
        if (op.when === undefined) return this.#emit("flags", ...words);
        return this.#emit("flagsIf", ...words, this.#slot(op.when));
      }
      case "carry":
        if (op.when === undefined) return this.#emit("carry", this.#slot(op.bits));
        return this.#emit("carryIf", this.#slot(op.bits), this.#slot(op.when));
      case "flag":
        return this.#emit("flag", this.#target(index), flagQuestion(op.flag));
      case "condition":
        return this.#emit("condition", this.#target(index), conditions.indexOf(op.condition));
      case "call": {
        const args = op.args.map((value) => this.#slot(value));
        return this.#emit(`helper.${op.helper}`, this.#target(index), ...args);
      }
      case "trap":
        return this.#emit("trapIf", this.#slot(op.when), trapStops[op.trap], this.#site, this.#rest);
      case "flush":
        return this.#emit("flush", this.#slot(op.address), eventCode(op.op), this.#site, this.#rest);
      case "frames":
        if (op.site === undefined) return this.#emit("prune", this.#slot(op.stack));
        return this.#emit("enter", this.#slot(op.stack), op.site);
      case "fence":
        return this.#emit("fence", 0, eventCode(op.op), this.#site, this.#rest);
    }
  }

  #get(register: Register, index: number): void {
    const own = cpuAddress(register.offset);
    const stays = this.#lastUse[index]! <= this.#nextPut[index]!;
    if (stays && register.type !== "i32") {
      this.#slots[index] = own;
      return;
    }
    const at = this.#newTemporary(index);
    this.#slots[index] = at;
    this.#emit(`copy.${register.type}`, at, own);
  }

  #exit(exit: Exit): void {
    switch (exit.kind) {
      case "goto":
        return this.#emit("goto", exit.target, 0);
      case "branch":
        return this.#emit("branch", this.#slot(exit.when), exit.target, 0, exit.otherwise, 0);
      case "call":
        if (exit.known !== undefined) return this.#emit("goto", exit.known, 0);
        return this.#emit("jump", this.#slot(exit.target!), ...noneSeen);
      case "jump":
      case "return":
        return this.#emit("jump", this.#slot(exit.target), ...noneSeen);
      case "syscall":
        return this.#emit("stop", 0, stop.syscall, exit.next, 0);
      case "complex":
        return this.#emit("complex", 0, 0, exit.address, 1);
      case "trap":
        return this.#emit("stop", 0, trapStops[exit.trap], exit.address, 1);
    }
  }
}

/** Index of the last op that uses each value; the exit counts as one more. */
function lastUses({ ops, exit }: Block): Int32Array {
  const last = new Int32Array(ops.length).fill(-1);
  for (let index = 0; index < ops.length; index++) {
    const args = opArgs(ops[index]!);
    for (let i = 0; i < args.length; i++) last[args[i]!] = index;
  }
  const atEnd =
    exit.kind === "branch"
      ? exit.when
      : "target" in exit && typeof exit.target === "number" && exit.kind !== "goto"
        ? exit.target
        : undefined;
  if (atEnd !== undefined) last[atEnd] = ops.length;
  return last;
}

function nextPuts(ops: readonly Op[]): Int32Array {
  const next = new Int32Array(ops.length).fill(ops.length);
  const seen = new Map<Register, number>();
  for (let i = ops.length - 1; i >= 0; i--) {
    const op = ops[i]!;
    if (op.kind !== "get" && op.kind !== "put") continue;
    next[i] = seen.get(op.register) ?? ops.length;
    if (op.kind === "put") seen.set(op.register, i);
  }
  return next;
}
