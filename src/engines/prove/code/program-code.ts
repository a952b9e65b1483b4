/** The functions of a program in a machine, each with the order of its blocks, and memory as it is when threads begin. */
import { type Code, recoverFlow } from "../../../isa/control-flow/index.ts";
import { liftBlock } from "../../../isa/lift/index.ts";
import type { Machine, MachinePort } from "../../../machine/index.ts";
import { type ElfSymbol, readElf, readSymbols } from "../../../program/elf/index.ts";
import { DebugFile } from "../../../program/symbols/index.ts";
import { FlowOrder } from "./flow-order.ts";
import type { CodeFunctions } from "./walk.ts";

/** Of a stub: ENDBR64, and a jump through a slot. */
const stubBytes = 32;
const stubInstructions = 2;

/** Functions that end a program because something is wrong, and what that is. */
const failing: ReadonlyMap<string, string> = new Map([
  ["abort", "it aborts"],
  ["__assert_fail", "an assertion fails"],
  ["__assert", "an assertion fails"],
  ["__assert_perror_fail", "an assertion fails"],
  ["__stack_chk_fail", "the stack is overwritten"],
]);

export class ProgramCode implements CodeFunctions {
  readonly #port: MachinePort;
  readonly #symbols: readonly ElfSymbol[];
  readonly #variables: readonly ElfSymbol[];
  readonly #file: DebugFile;
  /** What is added to the file's addresses. */
  readonly #moved: number;
  readonly #failures = new Map<number, string | undefined>();
  readonly #orders = new Map<number, FlowOrder | undefined>();

  constructor(machine: Machine, bytes: Uint8Array, path: string) {
    this.#port = machine.port;
    const elf = readElf(bytes, path);
    this.#file = new DebugFile(elf, {});
    this.#variables = readSymbols(elf).filter(({ kind, defined }) => kind === "object" && defined);
    this.#symbols = readSymbols(elf).filter(({ kind, defined }) => kind === "function" && defined);
    const known = this.#symbols.find(({ name }) => name === "main") ?? this.#symbols[0];
    const loaded = known && machine.symbol(known.name);
    this.#moved = loaded === undefined ? 0 : loaded - known!.value;
  }

  /** Where a function begins. */
  named(name: string): number | undefined {
    const symbol = this.#symbols.find((each) => each.name === name);
    return symbol && symbol.value + this.#moved;
  }

  at(address: number): FlowOrder | undefined {
    if (!this.#orders.has(address)) this.#orders.set(address, this.#recover(address));
    return this.#orders.get(address);
  }

  failureAt(address: number): string | undefined {
    if (!this.#failures.has(address)) this.#failures.set(address, this.#failure(address));
    return this.#failures.get(address);
  }

  #failure(address: number): string | undefined {
    const imported = this.#importAt(address);
    if (imported !== undefined) return failing.get(imported);
    const symbols = this.#symbols.filter(({ name, value }) => value + this.#moved === address && failing.has(name));
    return symbols.length === 0 ? undefined : failing.get(symbols[0]!.name);
  }

  /** The variable at an address, and what is added to it. */
  nameOf(address: number): string {
    const at = address - this.#moved;
    const variable = this.#variables.find(({ value, size }) => value <= at && at < value + size);
    if (variable === undefined) return `0x${address.toString(16)}`;
    return at === variable.value ? variable.name : `${variable.name}+${at - variable.value}`;
  }

  /** The function, and the line where the file tells of lines. */
  describe(address: number): string {
    const frames = this.#file.symbolizer.frames(address - this.#moved);
    // What the compiler's headers put there is the doing of who included them.
    const frame = frames.find(({ file }) => file !== undefined && !file.startsWith("/usr/")) ?? frames[0];
    const name = frame?.function ?? `0x${address.toString(16)}`;
    if (frame?.file === undefined || frame.line === undefined) return name;
    return `${name} (${frame.file.split("/").at(-1)}:${frame.line})`;
  }

  /** What a stub of the procedure linkage table leads to: it jumps to where the dynamic linker has put an address. */
  #importAt(address: number): string | undefined {
    const block = liftBlock(this.#bytes(address, stubBytes), address, stubInstructions);
    if (block?.exit.kind !== "jump") return undefined;
    const target = block.ops[block.exit.target];
    const slot = target?.kind === "load" ? block.ops[target.address] : undefined;
    return slot?.kind === "const" ? this.#file.importAt(Number(slot.value) - this.#moved) : undefined;
  }

  #bytes(from: number, length: number): Uint8Array {
    return Uint8Array.from({ length }, (_, index) => this.#port.byteAt(from + index));
  }

  #recover(address: number): FlowOrder | undefined {
    const symbol = this.#symbols.find(({ value, size }) => value + this.#moved === address && size > 0);
    if (symbol === undefined) return undefined;
    const code: Code = { bytes: (from, length) => this.#bytes(from, length) };
    const flow = recoverFlow(code, address, [{ low: address, high: address + symbol.size }]);
    return flow && new FlowOrder(flow);
  }
}
