/**
 * What is known of addresses and arguments in one function: its control flow, and the types and names that flow through
 * it from variables. Computed when the function is first asked about; every question after that runs one block.
 */
import { type CodeRange, type FunctionFlow, recoverFlow, solveForward } from "../../../isa/control-flow/index.ts";
import type { Block } from "../../../isa/ir/index.ts";
import type { DebugFile } from "../debug-file.ts";
import { calleeOf } from "./callees.ts";
import { GlobalIndex } from "./globals.ts";
import { fromDwarf, type Places, placesAt } from "./places.ts";
import {
  argumentRegisters,
  callerSaved,
  entryState,
  mergeStates,
  nothingKnown,
  type State,
  stackPointer,
} from "./state.ts";
import { BlockRun, type Environment, symbolOf } from "./transfer.ts";
import { pointerBase } from "./typed-memory.ts";
import { add, direct, exact, sameValue, unknown, type Value } from "./values.ts";

/** A store, or a call's argument: what is known of the address, and of every register at that place. */
export interface KnownAddress {
  readonly address: Value;
  readonly size: number;
  readonly registers: readonly Value[];
}

export interface KnownCall {
  /** The name of what is called, where it is known. */
  readonly callee: string | undefined;
  /** The address of what is called, in the file, where it is known. */
  readonly target: number | undefined;
  readonly registers: readonly Value[];
}

const STACK_ARGUMENT = 8;
/** Of string instructions that the machine makes itself, by their last letter. */
const elementBytes: Readonly<Record<string, number>> = { b: 1, w: 2, d: 4, q: 8 };
const destinationRegister = 7;

export class FunctionValues {
  readonly entry: number;
  readonly #file: DebugFile;
  readonly #flow: FunctionFlow;
  readonly #environment: Environment;
  readonly #places = new Map<number, Places>();
  readonly #states: ReadonlyMap<number, State>;
  readonly #stores = new Map<number, readonly KnownAddress[]>();
  readonly #calls = new Map<number, KnownCall | undefined>();

  constructor(file: DebugFile, flow: FunctionFlow, globals: GlobalIndex) {
    this.#file = file;
    this.#flow = flow;
    this.entry = flow.entry;
    this.#environment = {
      types: file.types,
      places: (address) => this.#placesAt(address),
      globalAt: (address) => globals.at(address),
    };
    this.#states = solveForward<State>(flow, {
      atRoot: (address) => (address === flow.entry ? entryState : nothingKnown),
      through: ({ block }, before) => this.#after(block, before),
      merge: mergeStates,
      atWorst: () => nothingKnown,
    });
  }

  #placesAt(address: number): Places {
    const places = this.#places.get(address) ?? placesAt(this.#file.variables, this.#file.types, address);
    this.#places.set(address, places);
    return places;
  }

  /** The stores of the instruction at an address, those to its own stack left out. */
  storesAt(site: number): readonly KnownAddress[] {
    const known = this.#stores.get(site) ?? this.#findStores(site);
    this.#stores.set(site, known);
    return known;
  }

  #findStores(site: number): readonly KnownAddress[] {
    const found: KnownAddress[] = [];
    const block = this.#blockWith(site);
    if (block === undefined) return found;
    const run = this.#run(block, (instruction, address, size, registers) => {
      if (instruction === site && address.base?.kind !== "frame") found.push({ address, size, registers });
    });
    const { exit } = block;
    // A string instruction stores from rdi on, as often as rcx says.
    if (exit.kind === "complex" && exit.address === site && /stos|movs/.test(exit.name)) {
      const size = elementBytes[exit.name.at(-1) as string] ?? 1;
      const steps = { base: undefined, offset: 0, stride: size, symbol: undefined };
      const address = add(run.registers[destinationRegister] as Value, steps);
      found.push({ address, size, registers: run.registers });
    }
    return found;
  }

  /** The call that returns to an address. */
  callTo(returnAddress: number): KnownCall | undefined {
    if (!this.#calls.has(returnAddress)) this.#calls.set(returnAddress, this.#findCall(returnAddress));
    return this.#calls.get(returnAddress);
  }

  #findCall(returnAddress: number): KnownCall | undefined {
    for (const { block } of this.#flow.blocks.values()) {
      if (block.exit.kind !== "call" || block.exit.returnTo !== returnAddress) continue;
      const { registers } = this.#run(block);
      return { callee: calleeOf(this.#file, block), target: block.exit.known, registers };
    }
    return undefined;
  }

  #blockWith(address: number): Block | undefined {
    for (const { block } of this.#flow.blocks.values()) if (address >= block.start && address < block.end) return block;
    return undefined;
  }

  #run(block: Block, watch?: Parameters<BlockRun["run"]>[0]): BlockRun {
    const before = this.#states.get(block.start) ?? nothingKnown;
    return new BlockRun(block, this.#anchored(block.start, before), this.#environment).run(watch);
  }

  /** Unwinding rules know which register the frame is counted from, also where the flow lost sight of it. */
  #anchored(address: number, state: State): State {
    const cfa = this.#file.variables.rules(address)?.cfa;
    const register = cfa?.kind === "register" ? fromDwarf[cfa.register] : undefined;
    if (cfa?.kind !== "register" || register === undefined) return state;
    if (state.registers[register]?.base?.kind === "frame") return state;
    return { ...state, registers: state.registers.with(register, exact({ kind: "frame" }, -cfa.offset)) };
  }

  #after(block: Block, before: State): State {
    const run = new BlockRun(block, this.#anchored(block.start, before), this.#environment).run();
    const { exit } = block;
    if (exit.kind === "call") this.#afterCall(block, run);
    else if (exit.kind === "complex") forget(run, [0, 1, 2, 3, 6, 7], block);
    else if (exit.kind === "syscall") forget(run, [0, 1, 11], block);
    return { registers: run.registers, slots: run.slots };
  }

  #afterCall(block: Block, run: BlockRun): void {
    const callee = calleeOf(this.#file, block);
    const result = this.#result(block, run, callee);
    if (callee === "pmemobj_pool_by_oid") this.#noteObjectId(block, run);
    forget(run, callerSaved, block);
    if (result !== undefined) run.registers[0] = result;
    // The callee took the return address off the stack.
    run.registers[stackPointer] = add(run.registers[stackPointer] as Value, exact(undefined, STACK_ARGUMENT));
  }

  /** The pool of an object id is asked for where D_RW is inlined: then the id's type is known, whatever holds it. */
  #noteObjectId(block: Block, { registers, slots }: BlockRun): void {
    const asked = registers[argumentRegisters[1] as number];
    const id = this.#places.get(lastInstruction(block))?.objectId;
    if (asked?.symbol === undefined || asked.base !== undefined || id === undefined) return;
    for (const [register, value] of registers.entries())
      if (sameValue(value, asked)) registers[register] = exact(id, 0);
    for (const [slot, value] of slots) if (sameValue(value, asked)) slots.set(slot, exact(id, 0));
  }

  #result(block: Block, { registers }: BlockRun, callee: string | undefined): Value | undefined {
    if (callee !== undefined && /^pmemobj_direct(_inline)?$/.test(callee)) {
      const offset = registers[argumentRegisters[1] as number];
      return offset?.base?.kind === "pool-offset" ? direct(offset, offset.base) : undefined;
    }
    const target = block.exit.kind === "call" ? block.exit.known : undefined;
    const type = target === undefined ? undefined : this.#file.variables.resultType(target);
    const base = type === undefined ? undefined : pointerBase(this.#file.types, type, `${plainName(callee ?? "?")}()`);
    return base && exact(base, 0);
  }
}

/** A function's own name: `node` of `Map<int>::node(unsigned long)`. */
function plainName(name: string): string {
  let plain = name.replace(/\(.*$/, "");
  // Template arguments nest: the innermost go first.
  for (let before = ""; before !== plain; plain = plain.replace(/<[^<>]*>/, "")) before = plain;
  return plain.slice(plain.lastIndexOf("::") < 0 ? 0 : plain.lastIndexOf("::") + 2);
}

/** Each register holds something of its own from now on. */
function forget(run: BlockRun, registers: readonly number[], { start }: Block): void {
  for (const register of registers) run.registers[register] = unknown(symbolOf(start, FIRST_FORGOTTEN + register));
}
/** Numbers that no op of a block has. */
const FIRST_FORGOTTEN = 4000;

const lastInstruction = ({ ops, start }: Block): number =>
  ops.reduce((last, op) => (op.kind === "inst" ? op.address : last), start);

/** Functions of one file that were asked about. */
export class FileValues {
  readonly #file: DebugFile;
  readonly #globals: GlobalIndex;
  readonly #functions = new Map<number, FunctionValues | undefined>();

  constructor(file: DebugFile) {
    this.#file = file;
    this.#globals = new GlobalIndex(file);
  }

  /** Undefined for code without debug information: nothing flows where nothing is typed. */
  at(address: number): FunctionValues | undefined {
    const ranges = this.#file.variables.rangesAt(address);
    const entry = ranges?.[0]?.low;
    if (ranges === undefined || entry === undefined) return undefined;
    if (!this.#functions.has(entry)) this.#functions.set(entry, this.#read(entry, ranges));
    return this.#functions.get(entry);
  }

  #read(entry: number, ranges: readonly CodeRange[]): FunctionValues | undefined {
    const flow = recoverFlow(this.#file.code, entry, ranges);
    return flow && new FunctionValues(this.#file, flow, this.#globals);
  }
}
