/**
 * Builds one IR block. Semantics call it in the order an instruction acts: read operands, compute, write.
 * - `read` and `write` take decoded operands; narrow integers travel zero-extended in an i32 (isa/ir/block.ts).
 * - A register read twice, or read after it was written, yields the same value without a second `get`.
 * - A condition that follows its flags in the same block is computed from their operands (isa/lift/fuse.ts).
 */
import { assert } from "../../base/index.ts";
import {
  type ArithmeticFlag,
  accessSize,
  arithmeticFlags,
  type Condition,
  control,
  type Exit,
  eflagsBit,
  type FenceOp,
  type FlagsKind,
  type FlushOp,
  gprs,
  type HelperName,
  type LoadKind,
  type MacroName,
  macros,
  type Op,
  opType,
  type PatchOp,
  type Register,
  type StoreKind,
  type Trap,
  type Value,
  type Width,
  xmms,
} from "../ir/index.ts";
import { type NumericName, numeric, type ValueType } from "../wasm/index.ts";
import type { Instruction, Memory, Operand } from "../x86/index.ts";
import { fuseCondition, type NotedCarry, type PendingFlags } from "./fuse.ts";
import { simplify } from "./simplify.ts";

/** What one mnemonic does. Instructions that end a block give it its `exit`. */
export type Lift = (b: Builder, instruction: Instruction) => void;

const loadKinds: Readonly<Record<number, LoadKind>> = {
  1: "i32.load8_u",
  2: "i32.load16_u",
  4: "i32.load",
  8: "i64.load",
  16: "v128.load",
};
const storeKinds: Readonly<Record<number, StoreKind>> = {
  1: "i32.store8",
  2: "i32.store16",
  4: "i32.store",
  8: "i64.store",
  16: "v128.store",
};

/** Nothing but the arguments decides the result: WebAssembly's own instructions, and integer macros. */
const isFunction = (name: string) =>
  !name.startsWith("x86.") || /^x86\.(mul_high|extract_bits|deposit_bits)/.test(name);
/** Numbers from 1 on for the operations that are functions. */
const functionNumbers: ReadonlyMap<string, number> = new Map(
  [...Object.keys(numeric), ...Object.keys(macros)].filter(isFunction).map((name, i) => [name, i + 1]),
);

/** An operation and what it is applied to: values number less than 2^14, and none takes more than three. */
function operationKey(operation: number, args: readonly Value[]): number {
  let key = operation;
  for (let i = 0; i < args.length; i++) key = key * 0x4000 + args[i]!;
  return key;
}

const scaleShifts = { 1: 0n, 2: 1n, 4: 2n, 8: 3n } as const;

/** The condition that is just one flag; AF has none. */
const conditionOfFlag = { c: "b", o: "o", z: "e", s: "s", p: "p", a: undefined } as const;

/** How a store differs from a plain one (isa/ir/block.ts). */
export type StoreManner = Pick<Op & { kind: "store" }, "upper" | "aligned" | "nonTemporal" | "when">;

/** XCHG with memory is locked with or without a prefix (SDM vol. 2: XCHG). */
const isLocked = ({ lock, mnemonic, operands: [dst] }: Instruction): boolean =>
  lock || (mnemonic === "xchg" && dst?.kind === "mem");

export class Builder {
  readonly ops: Op[] = [];
  exit: Exit | undefined;
  instructions = 0;
  readonly #current = new Map<Register, Value>();
  readonly #constants: Readonly<Record<"i32" | "i64" | "v128", Map<bigint, Value>>> = {
    i32: new Map(),
    i64: new Map(),
    v128: new Map(),
  };
  /** Pure ops by their operation and arguments as one number. */
  readonly #known = new Map<number, Value>();
  #pending: PendingFlags | undefined;
  #noted: NotedCarry | undefined;
  /** Whether the instruction in hand is. */
  #isLocked = false;
  /** Vectors that the instruction in hand computes on, as operands. */
  #temporaries: Value[] = [];
  /** Results of floating-point macros that no trap has asked about yet. */
  #unasked: Value[] = [];

  // ── Values ──────────────────────────────────────────────────────────────────────────────────────────────────

  #push(op: Op): Value {
    this.ops.push(op);
    return (this.ops.length - 1) as Value;
  }

  typeOf(value: Value): ValueType {
    const type = opType(this.ops[value] as Op);
    assert(type !== undefined, "lift: only ops with a value are used as values");
    return type;
  }

  /** The constant behind a value, if it is one: i32 and i64 as signed bigints. */
  constantOf(value: Value): bigint | undefined {
    const op = this.ops[value] as Op;
    return op.kind === "const" ? op.value : undefined;
  }

  #constant(type: "i32" | "i64" | "v128", value: bigint): Value {
    let known = this.#constants[type].get(value);
    if (known === undefined) {
      known = this.#push({ kind: "const", type, value });
      this.#constants[type].set(value, known);
    }
    return known;
  }
  i32(value: number | bigint): Value {
    return this.#constant("i32", BigInt.asIntN(32, BigInt(value)));
  }
  i64(value: number | bigint): Value {
    return this.#constant("i64", BigInt.asIntN(64, BigInt(value)));
  }
  v128(value: bigint): Value {
    return this.#constant("v128", BigInt.asUintN(128, value));
  }
  /** A constant of the integer type that carries `width` bits. */
  constant(width: Width, value: number | bigint): Value {
    return width === 64 ? this.i64(value) : this.i32(BigInt.asUintN(width, BigInt(value)));
  }

  /** Applies a WebAssembly instruction or a macro. Simple identities are folded (isa/lift/simplify.ts). */
  op(name: NumericName | MacroName, ...args: Value[]): Value {
    return simplify(this, name, args) ?? this.#pure(name, args);
  }
  /** The same operation on the same values is computed once, unless it also depends on MXCSR. */
  #pure(name: NumericName | MacroName, args: readonly Value[]): Value {
    const operation = functionNumbers.get(name);
    if (operation === undefined) return this.#push({ kind: "pure", op: name, args });
    const key = operationKey(operation, args);
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#push({ kind: "pure", op: name, args });
      this.#known.set(key, known);
    }
    return known;
  }
  lane(name: NumericName, lane: number, ...args: Value[]): Value {
    return this.#push({ kind: "pure", op: name, args, lane });
  }
  shuffle(left: Value, right: Value, lanes: readonly number[]): Value {
    return this.#push({ kind: "shuffle", left, right, lanes });
  }
  select(when: Value, then: Value, otherwise: Value): Value {
    return this.#push({ kind: "select", type: this.typeOf(then), when, then, otherwise });
  }
  call(helper: HelperName, ...args: Value[]): Value {
    return this.#push({ kind: "call", helper, args });
  }

  /** The op of the width's integer type: `int(32, "add", a, b)` is i32.add; narrow results are cut back by `narrow`. */
  int(width: Width, name: string, ...args: Value[]): Value {
    return this.op(`${width === 64 ? "i64" : "i32"}.${name}` as NumericName, ...args);
  }
  /** Cuts an i32 back to 8 or 16 bits; wider values are already exact. */
  narrow(width: Width, value: Value): Value {
    if (width === 8) return this.op("i32.and", value, this.i32(0xff));
    if (width === 16) return this.op("i32.and", value, this.i32(0xffff));
    return value;
  }
  /** Sign-extends an 8- or 16-bit value within its i32. */
  signed(width: Width, value: Value): Value {
    if (width === 8) return this.op("i32.extend8_s", value);
    if (width === 16) return this.op("i32.extend16_s", value);
    return value;
  }
  /** Zero- or sign-extends a `from`-bit integer to the type of `to` bits; narrows when `to` is smaller. */
  extend(value: Value, from: Width, to: Width, signed: boolean): Value {
    if (from === 64) return to === 64 ? value : this.narrow(to, this.op("i32.wrap_i64", value));
    if (to <= from) return this.narrow(to, value);
    const wide = signed ? this.signed(from, value) : value;
    if (to === 64) return this.op(signed ? "i64.extend_i32_s" : "i64.extend_i32_u", wide);
    return this.narrow(to, wide);
  }
  /** The top bit of a `width`-bit value, as i32 0 or 1. */
  signBit(width: Width, value: Value): Value {
    if (width === 64) return this.op("i32.wrap_i64", this.op("i64.shr_u", value, this.i64(63)));
    return this.op("i32.and", this.op("i32.shr_u", value, this.i32(width - 1)), this.i32(1));
  }
  /** PF of a `width`-bit result: 1 when an even number of its low eight bits is set. */
  parity(width: Width, value: Value): Value {
    const low = width === 64 ? this.op("i32.wrap_i64", value) : value;
    const ones = this.op("i32.popcnt", this.op("i32.and", low, this.i32(0xff)));
    return this.op("i32.xor", this.op("i32.and", ones, this.i32(1)), this.i32(1));
  }

  // ── Registers and memory ────────────────────────────────────────────────────────────────────────────────────

  get(register: Register): Value {
    let value = this.#current.get(register);
    if (value === undefined) {
      value = this.#push({ kind: "get", register });
      this.#current.set(register, value);
    }
    return value;
  }
  put(register: Register, value: Value): void {
    assert(this.typeOf(value) === register.type, "lift: a register gets a value of its own type");
    this.#push({ kind: "put", register, value });
    this.#current.set(register, value);
  }

  load(access: LoadKind, address: Value, aligned = false): Value {
    return this.#push(aligned ? { kind: "load", access, address, aligned } : { kind: "load", access, address });
  }
  /** A locked operation drains before its own store (docs/MODEL.md, PM-20), and only if nothing faults. */
  store(access: StoreKind, address: Value, value: Value, how: StoreManner = {}): void {
    if (this.#isLocked || how.when !== undefined) this.probe(address, accessSize[access]);
    if (this.#isLocked) this.fence("locked");
    this.#push({ kind: "store", access, address, value, ...how });
  }
  probe(address: Value, size: number): void {
    this.#push({ kind: "probe", address, size });
  }

  /** Loads and stores of a `width`-bit integer. */
  loadInt(width: Width, address: Value): Value {
    return this.load(loadKinds[width / 8]!, address);
  }
  storeInt(width: Width, address: Value, value: Value): void {
    this.store(storeKinds[width / 8]!, address, value);
  }

  /** The linear address of a memory operand, as i64; `offset` is a further term of the sum. */
  address(memory: Memory, offset?: Value): Value {
    let sum = offset;
    if (memory.base !== undefined) sum = this.#sum(sum, this.get(gprs[memory.base]!));
    if (memory.index !== undefined) {
      const index = this.get(gprs[memory.index]!);
      sum = this.#sum(sum, memory.scale === 1 ? index : this.op("i64.shl", index, this.i64(scaleShifts[memory.scale])));
    }
    if (memory.displacement !== 0n || sum === undefined) sum = this.#sum(sum, this.i64(memory.displacement));
    if (memory.addressSize === 4) sum = this.op("i64.and", sum, this.i64(0xffff_ffff));
    if (memory.segment === undefined) return sum;
    return this.#sum(sum, this.get(memory.segment === "fs" ? control.fsBase : control.gsBase));
  }
  #sum(left: Value | undefined, right: Value): Value {
    return left === undefined ? right : this.op("i64.add", left, right);
  }

  /** An integer operand's width in bits. */
  width(operand: Operand): Width {
    assert(
      operand.kind === "gpr" || operand.kind === "mem",
      "lift: only registers and memory have a width of their own",
    );
    return (operand.size * 8) as Width;
  }

  /** Reads an integer operand of the given width (its own by default; immediates need one). */
  read(operand: Operand, width: Width = this.width(operand)): Value {
    if (operand.kind === "imm") return this.constant(width, operand.value);
    if (operand.kind === "mem") return this.load(loadKinds[width / 8]!, this.address(operand));
    assert(operand.kind === "gpr", "lift: integer operands are registers, memory or immediates");
    const whole = this.get(gprs[operand.index]!);
    if (operand.size === 8) return whole;
    const low = this.op("i32.wrap_i64", whole);
    if (operand.high) return this.narrow(8, this.op("i32.shr_u", low, this.i32(8)));
    return this.narrow((operand.size * 8) as Width, low);
  }

  /** Writes an integer operand: 32-bit register writes clear the upper half, narrower ones keep the rest. */
  write(operand: Operand, value: Value, how?: StoreManner): void {
    if (operand.kind === "mem") return this.store(storeKinds[operand.size]!, this.address(operand), value, how);
    assert(operand.kind === "gpr", "lift: an integer result goes to a register or memory");
    const register = gprs[operand.index]!;
    if (operand.size === 8) return this.put(register, value);
    const wide = this.op("i64.extend_i32_u", value);
    if (operand.size === 4) return this.put(register, wide);
    const mask = operand.size === 2 ? 0xffffn : operand.high ? 0xff00n : 0xffn;
    const kept = this.op("i64.and", this.get(register), this.i64(~mask));
    const placed = operand.high ? this.op("i64.shl", wide, this.i64(8)) : wide;
    this.put(register, this.op("i64.or", kept, placed));
  }

  /**
   * A vector as an operand, which looks like an XMM register behind the last: what is said of a register's 128 bits can be
   * said of any part of a wider one. A float trap is asked for once all parts are computed (`askForFloatTrap`).
   */
  temporary(value: Value): Operand {
    this.#temporaries.push(value);
    return { kind: "xmm", index: xmms.length + this.#temporaries.length - 1 };
  }
  #isTemporary(operand: Operand): operand is Operand & { kind: "xmm" } {
    return operand.kind === "xmm" && operand.index >= xmms.length;
  }

  /** Reads a vector operand: a whole XMM register, or 16 bytes of memory (aligned unless told otherwise). */
  readVector(operand: Operand, aligned = true): Value {
    if (this.#isTemporary(operand)) return this.#temporaries[operand.index - xmms.length]!;
    if (operand.kind === "xmm") return this.get(xmms[operand.index]!);
    assert(operand.kind === "mem", "lift: a vector operand is a register or memory");
    return this.load("v128.load", this.address(operand), aligned);
  }
  writeVector(operand: Operand, value: Value, how: StoreManner = {}): void {
    if (this.#isTemporary(operand)) this.#temporaries[operand.index - xmms.length] = value;
    else if (operand.kind === "xmm") this.put(xmms[operand.index]!, value);
    else {
      assert(operand.kind === "mem", "lift: a vector result goes to a register or memory");
      this.store("v128.store", this.address(operand), value, how);
    }
  }
  /** Writes the result of an instruction that may have raised an exception. */
  writeChecked(operand: Operand, value: Value): void {
    this.#unasked.push(value);
    if (!this.#isTemporary(operand)) this.askForFloatTrap();
    this.writeVector(operand, value);
  }
  /** An operand's next lane: what floating-point macros raise on it counts with what those so far did. */
  otherLane(value: Value): Value {
    const earlier = this.#unasked.at(-1);
    return earlier === undefined ? value : this.op("x86.float_lane", earlier, value);
  }
  /** Traps if one of the floating-point macros so far met an unmasked exception. */
  askForFloatTrap(): void {
    if (this.#unasked.length === 0) return;
    const all = this.#unasked.reduce((left, right) => this.op("v128.or", left, right));
    this.trapIf(this.op("x86.float_trap", all), "float");
    this.#unasked = [];
  }

  // ── Flags ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Notes all six arithmetic flags. With `when`, the old ones stay if it is 0. */
  setFlags(flags: FlagsKind, width: Width, left: Value, right: Value, result: Value, when?: Value): void {
    const noted = { kind: "flags", flags, width, left, right, result } as const;
    this.#push(when === undefined ? noted : { ...noted, when });
    this.#pending = when === undefined ? { flags, width, left, right, result } : undefined;
    this.#noted = undefined;
  }
  /** Sets the six flags from an i32 with the bits in their EFLAGS positions. */
  setRawFlags(bits: Value, when?: Value): void {
    this.setFlags("raw", 32, bits, bits, bits, when);
  }
  flag(flag: ArithmeticFlag): Value {
    const fused = fuseCondition(this, this.#pending, this.#noted, conditionOfFlag[flag]);
    return fused ?? this.#push({ kind: "flag", flag });
  }
  /** The flags of `mask`, an EFLAGS mask of arithmetic flags, in their EFLAGS positions. */
  flagBits(mask: number): Value {
    if (this.#pending?.flags === "raw" && !this.#noted) return this.op("i32.and", this.#pending.left, this.i32(mask));
    // Nothing is known of the flags: one question for all of them costs less than one each.
    if (this.#pending === undefined)
      return this.op("i32.and", this.#push({ kind: "flag", flag: "all" }), this.i32(mask));
    const wanted = arithmeticFlags.filter((flag) => (mask & (1 << eflagsBit[flag])) !== 0);
    const bits = wanted.map((flag) => this.op("i32.shl", this.flag(flag), this.i32(eflagsBit[flag])));
    return bits.reduce((left, right) => this.op("i32.or", left, right), this.i32(0));
  }
  /** Changes CF and OF (i32 0 or 1 each) and leaves the others; with `when`, only if it is not 0. */
  setCarryAndOverflow(carry: Value, overflow: Value, when?: Value): void {
    const bits = this.op("i32.or", carry, this.op("i32.shl", overflow, this.i32(1)));
    this.#push({ kind: "carry", bits, ...(when !== undefined && { when }) });
    this.#noted = when === undefined ? { carry, overflow } : undefined;
    if (when !== undefined) this.#pending = undefined;
  }
  /** i32 0 or 1. */
  condition(condition: Condition): Value {
    const fused = fuseCondition(this, this.#pending, this.#noted, condition);
    return fused ?? this.#push({ kind: "condition", condition });
  }

  // ── Effects ─────────────────────────────────────────────────────────────────────────────────────────────────

  trapIf(when: Value, trap: Trap): void {
    this.#push({ kind: "trap", trap, when });
  }
  flush(op: FlushOp, address: Value): void {
    this.#push({ kind: "flush", op, address });
  }
  fence(op: FenceOp): void {
    this.#push({ kind: "fence", op });
  }
  patch(op: PatchOp, number: number, size: number, address?: Value): void {
    this.#push({ kind: "patch", op, number, size, ...(address !== undefined && { address }) });
  }
  frames(stack: Value, site?: number): void {
    this.#push({ kind: "frames", stack, ...(site !== undefined && { site }) });
  }
  begin(instruction: Instruction): void {
    this.#push({ kind: "inst", address: instruction.address, length: instruction.length });
    this.#isLocked = isLocked(instruction);
    this.#temporaries = [];
    this.instructions++;
  }
}
