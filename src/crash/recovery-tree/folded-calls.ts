/**
 * Calls of functions that take a checksum: what recovery reads inside is marked, so that not every combination of it has to be
 * gone through (walker.ts, `Folds`). Always: a call inside such a call is part of it.
 */
import { InputError } from "../../base/index.ts";
import type { Machine, RunResult } from "../../machine/index.ts";

const stackPointer = 4;
const wordBytes = 8;

export class FoldedCalls {
  readonly #machine: Machine;
  readonly #functions: readonly string[];
  #entries: ReadonlySet<number> | undefined;
  readonly #returns = new Set<number>();

  /**
   * Functions by their names, or as MODULE+0xOFFSET. The machine must not have started up: those of the program itself are
   * stopped at from the beginning, so that none is under way where it comes to stand.
   */
  constructor(machine: Machine, functions: readonly string[]) {
    this.#machine = machine;
    this.#functions = functions;
    const known = functions.flatMap((name) => this.#addressOf(name) ?? []);
    if (known.length > 0) machine.stopAt(known);
  }

  /** Runs on, and tells when a call begins and when it is over. */
  run(instructions: number, fold: (inside: boolean) => void): RunResult {
    if (this.#functions.length === 0) return this.#machine.run(instructions);
    this.#entries ??= this.#find();
    let left = instructions;
    let inside: { readonly back: number; readonly stack: bigint } | undefined;
    if (this.#entries.has(this.#machine.rip)) {
      inside = this.#begin();
      fold(true);
    }
    for (;;) {
      const before = this.#machine.instructions;
      const result = this.#machine.run(left);
      left -= this.#machine.instructions - before;
      if (result.kind !== "address") return result;
      if (inside === undefined && this.#entries.has(result.address)) {
        inside = this.#begin();
        fold(true);
      } else if (inside?.back === result.address && this.#machine.register(stackPointer) > inside.stack) {
        inside = undefined;
        fold(false);
      }
    }
  }

  #begin(): { readonly back: number; readonly stack: bigint } {
    const stack = this.#machine.register(stackPointer);
    const bytes = this.#machine.readMemory(Number(stack), wordBytes);
    const back = bytes === undefined ? 0 : Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    if (!this.#returns.has(back)) {
      this.#returns.add(back);
      this.#machine.stopAt([...this.#entries!, ...this.#returns]);
    }
    return { back, stack };
  }

  /** The machine has started up by now: what it runs is mapped. */
  #find(): ReadonlySet<number> {
    const entries = this.#functions.map((name) => {
      const address = this.#addressOf(name);
      if (address === undefined)
        throw new InputError(
          "explore/checksum",
          `The recovery has no function ${name}: give --checksum a name from its symbol table, or MODULE+0xOFFSET as stacks show it.`,
          { name },
        );
      return address;
    });
    this.#machine.stopAt(entries);
    return new Set(entries);
  }

  #addressOf(name: string): number | undefined {
    const [, module, offset] = /^(.+)\+0x([\da-f]+)$/i.exec(name) ?? [];
    if (module === undefined || offset === undefined) return this.#machine.symbol(name);
    return this.#machine.addressIn(module, Number.parseInt(offset, 16));
  }
}
