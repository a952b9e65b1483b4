/**
 * Names for stores: the variable, the fields and the object that a store changed, as the source has them. The pointer's
 * type flows to the store from variables (names/function-values.ts); where a pointer came in as a parameter that says
 * nothing, and in libraries, it is followed to the call that passed it. Always:
 * - Nothing is made up: without debug information there is no name, and the caller tells allocation and offset.
 * - Only functions on the way are looked at, each once.
 */

import type { DebugFile } from "../debug-file.ts";
import type { MappedCode, Resolver } from "../resolver.ts";
import { openFrame, type Registers, type StackFrame } from "../stack.ts";
import { TypeTable } from "../type-table.ts";
import { destinationOf } from "./callees.ts";
import { FileValues, type FunctionValues } from "./function-values.ts";
import { describePart, isAggregate, type ObjectPart, type PartContext, type StoredRange } from "./object-part.ts";
import { toDwarf } from "./places.ts";
import { argumentRegisters, callerSaved } from "./state.ts";
import { add, type Base, exact, type PointerBase, sameBase, type Value } from "./values.ts";

export interface StoreQuestion extends StoredRange {
  /** The address of the store's instruction. */
  readonly site: number;
  /** Return addresses, innermost first. */
  readonly stack: readonly number[];
  /**
   * The first byte of the stores, without a gap, that the same instruction or the same call made one after another. Without
   * it nobody knows which part of a wide store, or of a copy, this is.
   */
  readonly start?: number;
  /** Registers and memory at the store, from whoever stopped there. */
  readonly machine?: Registers;
}

export interface StoreName extends ObjectPart {
  /** Which frame the name is from: 0 is the store's own, 1 its caller's. */
  readonly frame: number;
}

interface FunctionAt {
  readonly code: MappedCode;
  readonly values: FunctionValues;
}

/** An address that a function knows, and the place where it knows it. */
interface Known {
  readonly value: Value;
  readonly registers: readonly Value[];
  readonly code: MappedCode;
  readonly level: number;
}

/** What an outer frame is to say: what it passed in a register, or to a library. */
type Errand =
  | { readonly kind: "store" | "library" }
  | { readonly kind: "parameter"; readonly register: number; readonly rest: Value; readonly callee: FunctionValues };

const MAX_FRAMES = 32;

export class StoreNames {
  readonly #resolver: Pick<Resolver, "codeAt">;
  readonly #table: TypeTable;
  readonly #files = new Map<DebugFile, FileValues>();
  readonly #functions = new Map<number, FunctionAt | undefined>();

  /** Types are numbered in `table`, which several runs may share. */
  constructor(resolver: Pick<Resolver, "codeAt">, table = new TypeTable()) {
    this.#resolver = resolver;
    this.#table = table;
  }

  name(question: StoreQuestion): StoreName | undefined {
    /** What is known so far, should no outer frame know more. */
    let fallback: StoreName | undefined;
    let errand: Errand = { kind: "store" };
    const sites = [question.site, ...question.stack].slice(0, MAX_FRAMES);
    for (const [level, site] of sites.entries()) {
      const here = this.#functionAt(level === 0 ? site : site - 1);
      if (here === undefined) {
        // What a library passes to the program is not known.
        if (errand.kind === "parameter") break;
        errand = { kind: "library" };
        continue;
      }
      const { values, code } = here;
      const found = askFunction(values, code, errand, question);
      if (found === undefined) break;
      const { base } = found.value;
      const known = { ...found, code, level };
      if (base?.kind === "pointer") {
        const name = this.#describe(base, known, question);
        if (isAggregate(code.file.types, base.type) || base.within !== undefined) return name;
        fallback ??= name && (base.weak ? { ...name, confidence: "guess", members: [] } : name);
      }
      const register = base?.kind === "pointer" ? base.entry : base?.kind === "entry" ? base.register : undefined;
      if (register === undefined) break;
      errand = { kind: "parameter", register, rest: this.#distance(known, question), callee: values };
    }
    return fallback;
  }

  #functionAt(pc: number): FunctionAt | undefined {
    if (!this.#functions.has(pc)) this.#functions.set(pc, this.#findFunction(pc));
    return this.#functions.get(pc);
  }

  #findFunction(pc: number): FunctionAt | undefined {
    const code = this.#resolver.codeAt(pc);
    if (code === undefined) return undefined;
    const file = this.#files.get(code.file) ?? new FileValues(code.file);
    this.#files.set(code.file, file);
    const values = file.at(code.address);
    return values && { code, values };
  }

  #describe(base: PointerBase, known: Known, question: StoreQuestion): StoreName | undefined {
    const { types } = known.code.file;
    const context: PartContext = {
      types,
      table: this.#table,
      addressOf: (wanted) => this.#addressOf(wanted, known, question),
    };
    const part = describePart(base, known.value, question, context);
    if (part === undefined) return undefined;
    return { ...part, frame: known.level };
  }

  /** How far the store is from what the pointer counts from. */
  #distance(known: Known, question: StoreQuestion): Value {
    const { base, stride } = known.value;
    const start = stride === 0 || base === undefined ? undefined : this.#addressOf(base, known, question);
    return start === undefined ? { ...known.value, base: undefined } : exact(undefined, question.address - start);
  }

  /** The address that a pointer had, from whatever still holds it: a register, a variable, the caller that passed it. */
  #addressOf(base: Base, known: Known, question: StoreQuestion): number | undefined {
    const frame = this.#frameAt(question, known.level);
    if (frame === undefined) return undefined;
    for (const [register, value] of known.registers.entries()) {
      const kept = known.level === 0 || !callerSaved.includes(register);
      if (!kept || value.stride !== 0 || !sameBase(value.base, base)) continue;
      const held = frame.register(toDwarf(register));
      if (held !== undefined) return Number(held) - value.offset;
    }
    const parameter = base.kind === "entry" ? base.register : base.kind === "pointer" ? base.entry : undefined;
    const named = base.kind === "pointer" ? variableValue(base.text, known.code, frame) : undefined;
    return named ?? (parameter === undefined ? undefined : this.#passed(parameter, known, question));
  }

  /** What the caller passed in a register. */
  #passed(register: number, { level, code }: Known, question: StoreQuestion): number | undefined {
    const site = question.stack[level];
    const here = site === undefined ? undefined : this.#functionAt(site - 1);
    const call = here?.values.callTo(here.code.address + 1);
    const callee = this.#functionAt(code.address + code.bias)?.values.entry;
    if (here === undefined || call === undefined || (call.target !== undefined && call.target !== callee))
      return undefined;
    const value = call.registers[register] as Value;
    if (value.base === undefined || value.stride !== 0) return undefined;
    const outer = { value, registers: call.registers, code: here.code, level: level + 1 };
    const start = this.#addressOf(value.base, outer, question);
    return start === undefined ? undefined : start + value.offset;
  }

  #frameAt({ machine, site }: StoreQuestion, level: number): StackFrame | undefined {
    if (machine === undefined) return undefined;
    const fileAt = (pc: number) => {
      const code = this.#resolver.codeAt(pc);
      return code && { variables: code.file.variables, bias: code.bias };
    };
    let frame: StackFrame | undefined = openFrame(site, 0, machine, fileAt);
    for (let step = 0; step < level; step++) frame = frame?.caller();
    return frame;
  }
}

/** What a variable holds, by its name: one in scope, or a global one. */
function variableValue(name: string, { file, address, bias }: MappedCode, frame: StackFrame): number | undefined {
  const { variables } = file;
  const variable = variables.at(address).find((one) => one.name === name);
  const location = variable && variables.locate(variable, address, frame);
  if (location?.kind === "register") return numberOf(frame.register(location.register));
  if (location?.kind === "memory") return numberOf(frame.memory(location.address, WORD));
  if (location?.kind === "value") return Number(location.value);
  const global = variable === undefined ? variables.globals().find((one) => one.name === name) : undefined;
  return global && numberOf(frame.memory(BigInt(global.address + bias), WORD));
}

const WORD = 8;
const numberOf = (value: bigint | undefined) => (value === undefined ? undefined : Number(value));

/** What a function says about the address that was stored to. */
function askFunction(
  values: FunctionValues,
  code: MappedCode,
  errand: Errand,
  question: StoreQuestion,
): Pick<Known, "value" | "registers"> | undefined {
  if (errand.kind === "store") return askStore(values, code.address, question);
  const call = values.callTo(code.address + 1);
  if (call === undefined) return undefined;
  const { registers } = call;
  if (errand.kind === "parameter") {
    // A function that was jumped to has its arguments from somebody who is not on the stack any more.
    const isOther = call.target !== undefined && call.target !== errand.callee.entry;
    const passed = registers[errand.register] as Value;
    return isOther ? undefined : { value: add(passed, errand.rest), registers };
  }
  const destination = call.callee === undefined ? undefined : destinationOf(call.callee);
  if (destination === undefined) return undefined;
  const passed = registers[argumentRegisters[destination.pointer] as number] as Value;
  const length =
    destination.length === undefined ? undefined : registers[argumentRegisters[destination.length] as number];
  return { value: add(passed, withinCopy(question, length)), registers };
}

/** How far from the destination of a copy the store is. */
function withinCopy({ address, size, start }: StoreQuestion, length: Value | undefined): Value {
  if (start !== undefined) return exact(undefined, address - start);
  const isAll = length !== undefined && length.base === undefined && length.stride === 0 && length.offset <= size;
  return isAll ? exact(undefined, 0) : { base: undefined, offset: 0, stride: 1, symbol: undefined };
}

/** Of several stores of one instruction, the one that debug information says most about. */
function askStore(values: FunctionValues, site: number, { address, start }: StoreQuestion) {
  const stores = values.storesAt(site);
  const rank = ({ base }: Value) => (base?.kind === "pointer" ? (base.weak ? 1 : 2) : 0);
  const best = stores.toSorted((a, b) => rank(b.address) - rank(a.address))[0];
  if (best === undefined) return undefined;
  // A record stays within eight aligned bytes: a wider store has several.
  const into = start === undefined ? 0 : (address - start) % best.size;
  return { value: add(best.address, exact(undefined, into)), registers: best.registers };
}
