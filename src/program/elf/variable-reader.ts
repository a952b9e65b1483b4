/**
 * Variables of a file's code: which there are at an address, where they are in a frame, and how to get from a frame to its
 * caller's. Always:
 * - Addresses asked about are the file's own; a frame says by its `bias` where the file was loaded.
 * - Damaged debug information costs detail, never an exception: `problem` says what was given up.
 * - Only the units and functions asked about are read, and each of them once.
 */
import type { InputError } from "../../base/index.ts";
import { Cursor } from "./cursor.ts";
import { UnitIndex } from "./dwarf/addresses.ts";
import type { NumberType } from "./dwarf/arithmetic.ts";
import { type FrameEntry, readFrameEntries } from "./dwarf/call-frames.ts";
import { attributes, tags } from "./dwarf/constants.ts";
import {
  compute,
  type EntryQuestion,
  type FrameState,
  type Location,
  locate,
  type Surroundings,
} from "./dwarf/evaluate.ts";
import { type FrameRules, rulesAt } from "./dwarf/frame-rules.ts";
import { indexFunctions, readFunctions, type Scope, scopesAt } from "./dwarf/functions.ts";
import { type GlobalVariable, visitGlobals } from "./dwarf/globals.ts";
import type { LocationRange } from "./dwarf/locations.ts";
import { type DebugOptions, openDebugInfo } from "./dwarf/open.ts";
import { type Operation, readOperations } from "./dwarf/operations.ts";
import type { Range } from "./dwarf/ranges.ts";
import type { TypeId } from "./dwarf/types.ts";
import type { Unit } from "./dwarf/units.ts";
import { callerRegisters, cfaOf } from "./dwarf/unwind.ts";
import { type FunctionBody, readBody, type Variable, type VariableScope } from "./dwarf/variables.ts";
import * as errors from "./errors.ts";
import type { IntervalIndex } from "./intervals.ts";
import type { ElfFile } from "./read.ts";
import { Salvage } from "./salvage.ts";

/** A frame as far as it is known, and where its file lies. */
export interface FrameView extends Pick<FrameState, "register" | "memory"> {
  readonly bias: bigint;
  /** What its caller knows of the moment this frame's function was entered. */
  entryValue?(of: EntryQuestion): bigint | undefined;
}

export interface ScopedVariable extends Variable {
  /** Where its scope lies among those at the address: 0 is the innermost. */
  readonly depth: number;
  /** Of a function that was inlined there. */
  readonly inlined: boolean;
}

export interface VariableReader {
  /** All variables in scope, innermost first; of two with one name the first hides the second. */
  at(address: number): readonly ScopedVariable[];
  /** Where a variable is in a frame whose code is at `address`; undefined when it cannot be known or is nowhere. */
  locate(variable: Variable, address: number, frame: FrameView): Location | undefined;
  /** The expression that says where a variable is at an address, for those who only want to look at it. */
  operations(variable: Variable, address: number): readonly Operation[] | undefined;
  /** The code of the function at an address, its entry first; undefined without debug information. */
  rangesAt(address: number): readonly Range[] | undefined;
  /** The same, or by what unwinds it, where there is no debug information. */
  codeRangesAt(address: number): readonly Range[] | undefined;
  /** What `fbreg` counts from at an address. */
  frameBase(address: number): readonly Operation[] | undefined;
  /** What the function at an address returns; undefined for void and where nothing is known. */
  resultType(address: number): TypeId | undefined;
  globals(): readonly GlobalVariable[];
  /** How to unwind from an address. */
  rules(address: number): FrameRules | undefined;
  cfa(address: number, frame: FrameView): bigint | undefined;
  /** The caller's registers by DWARF number; 16 is the return address. */
  unwind(address: number, frame: FrameView): ((number: number) => bigint | undefined) | undefined;
  /** What the callee found on entry, by what the call that returns to `address` says of its arguments. */
  callValue(address: number, of: EntryQuestion, frame: FrameView): bigint | undefined;
  readonly problem: InputError | undefined;
}

export const createVariableReader = (elf: ElfFile, options: DebugOptions = {}): VariableReader =>
  new FileVariables(elf, options);

interface Place {
  readonly body: FunctionBody;
  readonly address: number;
}

class FileVariables implements VariableReader {
  readonly #salvage = new Salvage();
  readonly #elf: ElfFile;
  readonly #options: DebugOptions;
  readonly #units: UnitIndex | undefined;
  readonly #allUnits: readonly Unit[];
  readonly #functions = new Map<Unit, IntervalIndex<Scope>>();
  readonly #bodies = new Map<number, FunctionBody | undefined>();
  readonly #operations = new Map<Uint8Array, readonly Operation[]>();
  #frames: readonly IntervalIndex<FrameEntry>[] | undefined;
  #globals: readonly GlobalVariable[] | undefined;

  constructor(elf: ElfFile, options: DebugOptions) {
    this.#elf = elf;
    this.#options = options;
    const info = this.#salvage.attempt(() => openDebugInfo(elf, options));
    this.#allUnits = info?.units ?? [];
    this.#units = info && new UnitIndex(info, (read) => this.#salvage.attempt(read));
  }

  get problem(): InputError | undefined {
    return this.#salvage.problem;
  }

  at(address: number): readonly ScopedVariable[] {
    const body = this.#bodyAt(address);
    if (body === undefined) return [];
    const chain = scopeChain(body.scope, address);
    return chain.flatMap((scope, depth) => {
      const inlined = chain.slice(depth).find(({ kind }) => kind !== "block")?.kind === "inlined";
      return scope.variables.map((variable) => ({ ...variable, depth, inlined }));
    });
  }

  locate(variable: Variable, address: number, frame: FrameView): Location | undefined {
    const { constant } = variable;
    if (typeof constant === "bigint") return { kind: "value", value: constant };
    if (constant !== undefined) return { kind: "bytes", bytes: constant };
    const body = this.#bodyAt(address);
    const expression = expressionAt(variable.locations, address);
    if (body === undefined || expression === undefined) return undefined;
    return this.#salvage.attempt(() =>
      locate(this.#read(expression, body.unit), this.#around({ body, address }, frame)),
    );
  }

  operations(variable: Variable, address: number): readonly Operation[] | undefined {
    return this.#operationsAt(variable.locations, address);
  }

  rangesAt(address: number): readonly Range[] | undefined {
    return this.#bodyAt(address)?.scope.ranges;
  }

  codeRangesAt(address: number): readonly Range[] | undefined {
    const known = this.rangesAt(address);
    if (known !== undefined) return known;
    const [entry] = this.#frameEntries.flatMap((frames) => frames.at(address));
    return entry && [{ low: entry.low, high: entry.high }];
  }

  frameBase(address: number): readonly Operation[] | undefined {
    return this.#operationsAt(this.#bodyAt(address)?.frameBase ?? [], address);
  }

  resultType(address: number): TypeId | undefined {
    return this.#bodyAt(address)?.result;
  }

  #operationsAt(locations: readonly LocationRange[], address: number): readonly Operation[] | undefined {
    const body = this.#bodyAt(address);
    const expression = expressionAt(locations, address);
    if (body === undefined || expression === undefined) return undefined;
    return this.#salvage.attempt(() => this.#read(expression, body.unit));
  }

  globals(): readonly GlobalVariable[] {
    if (this.#globals !== undefined) return this.#globals;
    const globals: GlobalVariable[] = [];
    for (const unit of this.#allUnits) this.#salvage.attempt(() => visitGlobals(unit, (one) => globals.push(one)));
    this.#globals = globals;
    return globals;
  }

  get #frameEntries(): readonly IntervalIndex<FrameEntry>[] {
    this.#frames ??= [this.#elf, this.#options.debugFile].flatMap((elf) => {
      const entries = elf && this.#salvage.attempt(() => readFrameEntries(elf));
      return entries === undefined ? [] : [entries];
    });
    return this.#frames;
  }

  rules(address: number): FrameRules | undefined {
    for (const frames of this.#frameEntries) {
      const entry = frames.at(address)[0];
      const rules = entry && this.#salvage.attempt(() => rulesAt(entry, address));
      if (rules !== undefined) return rules;
    }
    return undefined;
  }

  cfa(address: number, frame: FrameView): bigint | undefined {
    const rules = this.rules(address);
    return rules && this.#salvage.attempt(() => cfaOf(rules.cfa, frame, this.#elf.path));
  }

  unwind(address: number, frame: FrameView): ((number: number) => bigint | undefined) | undefined {
    const rules = this.rules(address);
    const registers = rules && this.#salvage.attempt(() => callerRegisters(rules, frame, this.#elf.path));
    const wanted = (number: number) => (number === returnAddress ? (rules as FrameRules).returnRegister : number);
    return registers && ((number) => this.#salvage.attempt(() => registers(wanted(number))));
  }

  callValue(address: number, of: EntryQuestion, frame: FrameView): bigint | undefined {
    // The call itself is the last byte before the address it returns to.
    const body = this.#bodyAt(address - 1);
    const parameters = body?.calls.get(address)?.parameters ?? [];
    const parameter = parameters.find((one) =>
      typeof of === "number" ? one.parameter === of : one.location !== undefined && sameBytes(one.location, of),
    );
    if (body === undefined || parameter === undefined) return undefined;
    const around = this.#around({ body, address: address - 1 }, frame);
    return this.#salvage.attempt(() => compute(this.#read(parameter.value, body.unit), around));
  }

  #around({ body, address }: Place, frame: FrameView): Surroundings {
    const around: Surroundings = {
      register: (number) => frame.register(number),
      memory: (at, size) => frame.memory(at, size),
      cfa: () => this.cfa(address, frame),
      frameBase: () => {
        const expression = expressionAt(body.frameBase, address);
        return expression && compute(this.#read(expression, body.unit), { ...around, frameBase: () => undefined });
      },
      // A parameter is named by its place in the unit.
      entryValue: (of) => frame.entryValue?.(typeof of === "number" ? body.unit.offset + of : of),
      bias: frame.bias,
      addressOfIndex: (index) => BigInt(body.unit.addressOfIndex(index)),
      baseType: (offset) => numberTypeAt(body.unit, offset),
    };
    return around;
  }

  #read(expression: Uint8Array, unit: Unit): readonly Operation[] {
    const known = this.#operations.get(expression);
    if (known !== undefined) return known;
    const fail = () => errors.badDebugInfo(this.#elf.path, "the place of a variable is garbled");
    const operations = readOperations(new Cursor(expression, 0, expression.length, fail), unit);
    this.#operations.set(expression, operations);
    return operations;
  }

  #bodyAt(address: number): FunctionBody | undefined {
    for (const unit of this.#units?.at(address) ?? []) {
      const scope = scopesAt(this.#functionsOf(unit), address).at(-1);
      if (scope === undefined) continue;
      const { offset } = scope;
      if (!this.#bodies.has(offset))
        this.#bodies.set(
          offset,
          this.#salvage.attempt(() => readBody(unit, offset)),
        );
      return this.#bodies.get(offset);
    }
    return undefined;
  }

  #functionsOf(unit: Unit): IntervalIndex<Scope> {
    const known = this.#functions.get(unit);
    if (known !== undefined) return known;
    const functions = indexFunctions(this.#salvage.attempt(() => readFunctions(unit)) ?? []);
    this.#functions.set(unit, functions);
    return functions;
  }
}

/** DWARF's number for the return address on x86-64. */
export const returnAddress = 16;

const covers = ({ ranges }: VariableScope, address: number) =>
  ranges.length === 0 || ranges.some(({ low, high }) => address >= low && address < high);

/** The scopes around an address, innermost first. */
function scopeChain(scope: VariableScope, address: number): readonly VariableScope[] {
  const chain = [scope];
  for (;;) {
    // A scope that gives its ranges is a better answer than one that shares its parent's.
    const inner = (chain[0] as VariableScope).inner.filter((one) => covers(one, address));
    const next = inner.find(({ ranges }) => ranges.length > 0) ?? inner[0];
    if (next === undefined) return chain;
    chain.unshift(next);
  }
}

const expressionAt = (locations: readonly LocationRange[], address: number) =>
  locations.find(({ low, high }) => address >= low && address < high)?.expression;

const sameBytes = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, at) => byte === b[at]);

/** DW_ATE_*: address, boolean, signed, signed char, unsigned, unsigned char, UTF. */
const integerEncodings: ReadonlyMap<number, boolean> = new Map([
  [0x01, false],
  [0x02, false],
  [0x05, true],
  [0x06, true],
  [0x07, false],
  [0x08, false],
  [0x10, false],
]);

function numberTypeAt(unit: Unit, offset: number): NumberType | undefined {
  const entry = unit.info.entryAt(unit.offset + offset);
  if (entry?.tag !== tags.baseType) return undefined;
  const signed = integerEncodings.get(entry.number(attributes.encoding) ?? 0);
  const bytes = entry.number(attributes.byteSize) ?? 0;
  return signed === undefined || bytes < 1 || bytes > 16 ? undefined : { bits: bytes * 8, signed };
}
