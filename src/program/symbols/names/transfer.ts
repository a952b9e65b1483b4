/**
 * What a block of IR does to what is known of registers and stack. Debug information speaks at the beginning of every
 * instruction: where it says that a register holds a variable, the register's value gets the variable's type and name.
 */

import {
  accessSize,
  type Block,
  gprNames,
  type Op,
  type Value as OpValue,
  type Register,
} from "../../../isa/ir/index.ts";
import type { TypeId, TypeReader } from "../../elf/index.ts";
import type { Places, RegisterPlace, SlotPlace } from "./places.ts";
import type { State } from "./state.ts";
import { derefText, partText, wordAt } from "./typed-memory.ts";
import { add, exact, merge, type PointerBase, scale, subtract, unknown, type Value } from "./values.ts";

export interface Global {
  readonly name: string;
  readonly type: TypeId | undefined;
  readonly address: number;
}

export interface Environment {
  readonly types: TypeReader;
  places(address: number): Places;
  /** The variable at an address of the file. */
  globalAt(address: number): Global | undefined;
}

/** Told of each store, with what is known of registers just before its instruction. */
export type StoreWatch = (instruction: number, address: Value, size: number, before: readonly Value[]) => void;

const numbers: ReadonlyMap<string, number> = new Map(gprNames.map((name, number) => [name, number]));
const numberOf = (register: Register): number | undefined => numbers.get(register.name);

const WORD = 8;

export class BlockRun {
  readonly registers: Value[];
  readonly slots: Map<number, Value>;
  readonly #environment: Environment;
  readonly #block: Block;
  readonly #values: Value[] = [];
  /** The op whose value each register holds at present. */
  readonly #holders = new Map<number, number>();
  #places: Places = { registers: [], slots: [], objectId: undefined };
  #instruction = 0;
  #before: readonly Value[] = [];

  constructor(block: Block, { registers, slots }: State, environment: Environment) {
    this.#block = block;
    this.#environment = environment;
    this.registers = [...registers];
    this.slots = new Map(slots);
  }

  run(watch?: StoreWatch): this {
    this.#block.ops.forEach((op, index) => {
      this.#values[index] = this.#evaluate(op, index, watch);
    });
    return this;
  }

  value(of: OpValue): Value {
    return this.#values[of] ?? unknown();
  }

  /** A number for an unknown that this op makes: the same op makes the same one. */
  #symbol(index: number): number {
    return symbolOf(this.#block.start, index);
  }

  #evaluate(op: Op, index: number, watch: StoreWatch | undefined): Value {
    switch (op.kind) {
      case "inst":
        this.#begin(op.address);
        return unknown();
      case "const":
        return op.type === "i64" || op.type === "i32" ? constant(op.value) : unknown();
      case "get":
        return this.#get(op.register, index);
      case "put":
        return this.#put(op.register, op.value);
      case "pure":
        return this.#pure(op.op, op.args) ?? unknown(this.#symbol(index));
      case "select":
        return merge(this.value(op.then), this.value(op.otherwise));
      case "load":
        return (op.access === "i64.load" && this.#load(this.value(op.address))) || unknown(this.#symbol(index));
      case "store":
        watch?.(this.#instruction, this.value(op.address), accessSize[op.access], this.#before);
        this.#store(this.value(op.address), accessSize[op.access], this.value(op.value));
        return unknown();
      default:
        return unknown(this.#symbol(index));
    }
  }

  #begin(address: number): void {
    this.#instruction = address;
    this.#places = this.#environment.places(address);
    // The innermost scope has the last word, and what outer ones say is what it points into.
    for (const place of this.#places.registers.toReversed()) {
      const named = this.#named(place);
      if (named === undefined) continue;
      this.registers[place.register] = named;
      const holder = this.#holders.get(place.register);
      if (holder !== undefined) this.#values[holder] = named;
    }
    for (const slot of this.#places.slots) this.#noteId(slot);
    this.#before = [...this.registers];
  }

  /** An object id stays one when its variable is gone, which happens as soon as it is taken apart. */
  #noteId(slot: SlotPlace): void {
    const { variable, part } = slot;
    const start = this.#slotStart(slot);
    if (start === undefined) return;
    for (const word of [part, part + WORD]) {
      const id = wordAt(this.#environment.types, variable.type, word, (path) => partText(variable.name, path));
      const at = start + word - part;
      if (id?.base?.kind === "pool-offset")
        this.slots.set(at, nameValue(this.#environment.types, id, this.slots.get(at) ?? unknown()));
    }
  }

  /** The value of a register that holds a variable, or part of one. */
  #named({ register, variable, offset }: RegisterPlace): Value | undefined {
    const { types } = this.#environment;
    const word = wordAt(types, variable.type, offset, (path) => partText(variable.name, path));
    return word && nameValue(types, word, this.registers[register] as Value);
  }

  #get(register: Register, index: number): Value {
    const number = numberOf(register);
    if (number === undefined) return unknown(this.#symbol(index));
    this.#holders.set(number, index);
    return this.registers[number] as Value;
  }

  #put(register: Register, value: OpValue): Value {
    const number = numberOf(register);
    if (number !== undefined) {
      this.registers[number] = this.value(value);
      this.#holders.set(number, value);
    }
    return unknown();
  }

  #pure(name: string, args: readonly OpValue[]): Value | undefined {
    const [left, right] = args.map((arg) => this.value(arg));
    if (left === undefined) return undefined;
    const isNumber = left.base === undefined;
    if (name === "i64.extend_i32_u" || name === "i64.extend_i32_s" || name === "i32.wrap_i64")
      return isNumber ? left : undefined;
    return right && arithmetic[name.slice(4)]?.(left, right);
  }

  #load(address: Value): Value | undefined {
    const { base, offset, stride } = address;
    if (base?.kind === "frame") return stride === 0 ? this.#loadSlot(offset) : undefined;
    const { types } = this.#environment;
    if (base?.kind === "pointer") return loadThrough(types, base, address);
    if (base !== undefined || stride !== 0) return undefined;
    const global = this.#environment.globalAt(offset);
    return global && wordAt(types, global.type, offset - global.address, (path) => partText(global.name, path));
  }

  /** What was put there, with the name of the variable whose place it is. */
  #loadSlot(offset: number): Value | undefined {
    const { types } = this.#environment;
    const kept = this.slots.get(offset);
    for (const slot of this.#places.slots) {
      const { variable, part } = slot;
      const start = this.#slotStart(slot);
      const size = (types.sizeOf(variable.type) ?? WORD) - part;
      if (start === undefined || offset < start || offset + WORD > start + size) continue;
      const word = wordAt(types, variable.type, part + offset - start, (path) => partText(variable.name, path));
      if (word !== undefined) return nameValue(types, word, kept ?? unknown());
    }
    return kept;
  }

  #slotStart({ from, offset }: SlotPlace): number | undefined {
    if (from === "frame") return offset;
    const register = this.registers[from];
    return register?.base?.kind === "frame" && register.stride === 0 ? register.offset + offset : undefined;
  }

  #store(address: Value, size: number, value: Value): void {
    if (address.base?.kind !== "frame" || address.stride !== 0) return;
    for (let at = address.offset - WORD + 1; at < address.offset + size; at++) this.slots.delete(at);
    if (size === WORD) this.slots.set(address.offset, value);
  }
}

/** Blocks have fewer ops than that. */
const SYMBOLS_PER_BLOCK = 4096;
export const symbolOf = (block: number, index: number): number => block * SYMBOLS_PER_BLOCK + index;

function constant(value: bigint): Value {
  const number = Number(value);
  return Number.isSafeInteger(number) ? exact(undefined, number) : unknown();
}

const shiftLeft = (left: Value, right: Value) =>
  right.base === undefined && right.stride === 0 && right.offset >= 0 && right.offset < 32
    ? scale(left, 2 ** right.offset)
    : undefined;
const multiply = (left: Value, right: Value) => {
  if (right.base === undefined && right.stride === 0) return scale(left, right.offset);
  return left.base === undefined && left.stride === 0 ? scale(right, left.offset) : undefined;
};
/** A mask that only clears low bits leaves a multiple of the lowest bit it keeps, and a pointer that is aligned alone. */
const mask = (left: Value, right: Value): Value | undefined => {
  if (right.base !== undefined || right.stride !== 0) return undefined;
  const lowest = right.offset & -right.offset;
  if (lowest <= 1) return undefined;
  const { base, offset, stride } = left;
  if (base === undefined) return stride === 0 ? undefined : { base, offset: 0, stride: lowest, symbol: undefined };
  // Objects lie at multiples of eight or more: GCC rounds up to those when it clears them with a string instruction.
  const isAligned = offset % lowest === 0 && stride % lowest === 0 && lowest <= WORD && right.offset === -lowest;
  return base.kind === "pointer" && isAligned ? { ...left, base: { ...base, maybe: true } } : undefined;
};

/** By the name behind `i32.` or `i64.`. */
const arithmetic: Readonly<Record<string, (left: Value, right: Value) => Value | undefined>> = {
  add,
  sub: subtract,
  shl: shiftLeft,
  mul: multiply,
  and: mask,
};

/** What a pointer in an object leads to. Where indices vary, any element will do: they are all of one type. */
function loadThrough(types: TypeReader, base: PointerBase, { offset, stride }: Value): Value | undefined {
  const size = types.sizeOf(base.type) ?? 0;
  const isElement = size > 0 && (offset < 0 || offset >= size) && stride % size === 0;
  const inner = isElement ? ((offset % size) + size) % size : offset;
  return wordAt(types, base.type, inner, (path) => derefText(base, path));
}

/**
 * A value that debug information names, and what it was known as before. Bytes and void say less than what was known; a
 * pointer into an object keeps the object.
 */
function nameValue(types: TypeReader, word: Value, before: Value): Value {
  const { base } = word;
  const known = before.base;
  // What an object id was copied from says more than the name of the copy.
  if (base?.kind === "pool-offset" && known?.kind === "pool-offset" && known.type === base.type) return before;
  if (base?.kind !== "pointer") return word;
  if (known?.kind === "entry")
    return before.offset === 0 && before.stride === 0 ? exact({ ...base, entry: known.register }, 0) : word;
  if (known?.kind !== "pointer") return word;
  if (base.weak && !known.weak) return before;
  const isWhole = before.offset === 0 && before.stride === 0;
  const entry = isWhole ? known.entry : undefined;
  if (known.text === base.text && known.type === base.type) {
    // The variable moved on: so did its place in the object around it.
    const within = known.within && add(known.within, { ...before, base: undefined });
    return exact({ ...base, entry, within }, 0);
  }
  return exact({ ...base, entry, within: liesWithin(types, before, base) ? before : undefined }, 0);
}

const MAX_NESTING = 3;

/** Whether a pointer of this type can point into the object that a value was known to point into. */
function liesWithin(types: TypeReader, { base, offset, stride }: Value, inner: PointerBase): boolean {
  if (base?.kind !== "pointer" || base.weak || nesting(base) >= MAX_NESTING) return false;
  const [outerSize, innerSize] = [types.sizeOf(base.type), types.sizeOf(inner.type)];
  if (outerSize === undefined || innerSize === undefined || base.type === inner.type) return false;
  return stride !== 0 || (offset >= 0 && offset + innerSize <= outerSize);
}

const nesting = ({ within }: PointerBase): number => (within?.base?.kind === "pointer" ? 1 + nesting(within.base) : 0);
