/**
 * Code that takes a checksum, calls of functions and loops: what recovery reads inside is marked, so that not every combination of
 * it has to be gone through (walker.ts, `Folds`). Always: what is called from such code is part of it.
 */
import { InputError } from "../../base/index.ts";
import type { Machine, RunResult } from "../../machine/index.ts";
import { codeNamed, type NamedCode } from "./folded-names.ts";

const stackPointer = 4;
const wordBytes = 8;

/** One way through such code. */
interface Passage {
  readonly ends: readonly number[];
  /** Whether it is over where the stack pointer is this at one of its ends: others may come by in recursion. */
  isOver(stack: bigint): boolean;
}

export class FoldedCode {
  readonly #machine: Machine;
  readonly #names: readonly string[];
  #byEntry: ReadonlyMap<number, NamedCode> | undefined;
  readonly #ends = new Set<number>();

  /**
   * By names (folded-names.ts). The machine must not have started up: the program's own code is stopped at from the beginning,
   * so that none of it is under way where the machine comes to stand.
   */
  constructor(machine: Machine, names: readonly string[]) {
    this.#machine = machine;
    this.#names = names;
    const known = names.flatMap((name) => codeNamed(name, machine)?.entries ?? []);
    if (known.length > 0) machine.stopAt(known);
  }

  /** Runs on, and says when such code begins and when it is over. */
  run(instructions: number, fold: (inside: boolean) => void): RunResult {
    if (this.#names.length === 0) return this.#machine.run(instructions);
    this.#byEntry ??= this.#find();
    let left = instructions;
    let inside: Passage | undefined;
    const enter = () => {
      inside = this.#begin();
      if (inside !== undefined) fold(true);
    };
    enter();
    for (;;) {
      const before = this.#machine.instructions;
      const result = this.#machine.run(left);
      left -= this.#machine.instructions - before;
      if (result.kind !== "address") return result;
      const isOver = inside?.ends.includes(result.address) && inside.isOver(this.#machine.register(stackPointer));
      if (isOver) {
        inside = undefined;
        fold(false);
      }
      if (inside === undefined) enter();
    }
  }

  /** Undefined where the machine does not stand at the beginning of such code. */
  #begin(): Passage | undefined {
    const code = this.#byEntry!.get(this.#machine.rip);
    if (code === undefined) return undefined;
    const stack = this.#machine.register(stackPointer);
    if (code.exits !== undefined) return { ends: code.exits, isOver: (now) => now === stack };
    const bytes = this.#machine.readMemory(Number(stack), wordBytes);
    const back = bytes === undefined ? 0 : Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    if (!this.#ends.has(back)) this.#stopAtAll([back]);
    return { ends: [back], isOver: (now) => now > stack };
  }

  /** The machine has started up by now: what it runs is mapped. */
  #find(): ReadonlyMap<number, NamedCode> {
    const codes = this.#names.map((name) => {
      const code = codeNamed(name, this.#machine);
      if (code === undefined)
        throw new InputError(
          "explore/checksum",
          `The recovery has no function ${name}: give --checksum a name from its symbol table, or MODULE+0xOFFSET as stacks show it.`,
          { name },
        );
      return code;
    });
    this.#byEntry = new Map(codes.flatMap((code) => code.entries.map((entry) => [entry, code] as const)));
    this.#stopAtAll(codes.flatMap(({ exits = [] }) => exits));
    return this.#byEntry;
  }

  #stopAtAll(ends: readonly number[]): void {
    for (const end of ends) this.#ends.add(end);
    this.#machine.stopAt([...this.#byEntry!.keys(), ...this.#ends]);
  }
}
