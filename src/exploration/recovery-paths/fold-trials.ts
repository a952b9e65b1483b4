/**
 * Runs of one call or loop, again and again from where it begins, with other contents of persistent memory under it. Always: a run
 * changes nothing for the next one.
 */
import { next32, type RandomState } from "../../base/index.ts";
import type { LineContents, Machine, MachineSnapshot, PageChange } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { FunctionEntry, LoopAround } from "../../session/subject/index.ts";

const stackPointer = 4;
/** rbx, rsp, rbp, r12 to r15: what a call leaves to its caller (System V ABI). */
const kept = [3, 4, 5, 12, 13, 14, 15];
const wordBytes = 8;
const halfBytes = 4;

/** What is looked at. */
export type FoldingCode = FunctionEntry | LoopAround;

export const entriesOf = (code: FoldingCode): readonly number[] => ("exits" in code ? code.entries : [code.entry]);

/** A line with the halves of words that a run read of it. */
export interface FoldedLine {
  readonly path: string;
  readonly index: number;
  readonly halves: number[];
}

export interface FoldTrial {
  /** What it read, where it went and what a call leaves alone: the same for every content, if it takes a checksum. */
  readonly does: string;
  /** What it leaves in registers, by their names. */
  readonly registers: ReadonlyMap<string, bigint>;
  readonly changes: ReadonlyMap<number, PageChange>;
  readonly read: readonly FoldedLine[];
}

export class FoldTrials {
  readonly #machine: Machine;
  readonly #code: FoldingCode;
  readonly #isWatched: (path: string) => boolean;
  readonly #maxInstructions: number;
  readonly #begin: MachineSnapshot;
  readonly stack: bigint;

  /** The machine stands where the code begins. */
  constructor(machine: Machine, code: FoldingCode, isWatched: (path: string) => boolean, maxInstructions: number) {
    this.#machine = machine;
    this.#code = code;
    this.#isWatched = isWatched;
    this.#maxInstructions = maxInstructions;
    this.#begin = machine.snapshot();
    this.stack = machine.register(stackPointer);
  }

  /** With these lines under it; undefined when it does not come to its end. */
  run(lines: readonly LineContents[]): FoldTrial | undefined {
    const machine = this.#machine;
    machine.restore(this.#begin);
    machine.layLines(lines);
    const read = new Map<string, FoldedLine>();
    this.#watch((path, numbers) => {
      for (const number of numbers) {
        const index = Math.floor((number * halfBytes) / lineBytes);
        const key = `${index} ${path}`;
        const line = read.get(key) ?? { path, index, halves: [] };
        line.halves.push(number % (lineBytes / halfBytes));
        read.set(key, line);
      }
    });
    const end = this.#runToEnd();
    if (end === undefined) return undefined;
    this.#watch(() => {});
    const words = [...read].map(([key, { halves }]) => `${key}:${halves}`);
    return {
      does: [...end.leaves, ...words].join(" "),
      registers: end.registers,
      changes: machine.changesSince(this.#begin),
      read: [...read.values()],
    };
  }

  #runToEnd():
    | { readonly leaves: readonly (number | bigint)[]; readonly registers: FoldTrial["registers"] }
    | undefined {
    const code = this.#code;
    const machine = this.#machine;
    const isLoop = "exits" in code;
    const ends = isLoop ? code.exits : this.#returnAddress();
    const stackNow = () => machine.register(stackPointer);
    machine.stopAt(ends);
    let result = machine.run(this.#maxInstructions);
    while (result.kind === "address" && (isLoop ? stackNow() !== this.stack : stackNow() <= this.stack))
      result = machine.run(this.#maxInstructions);
    if (result.kind !== "address") return undefined;
    if (!isLoop)
      return {
        leaves: kept.map((number) => machine.register(number)),
        registers: new Map([["rax", machine.register(0)]]),
      };
    const registers = code.live.possible.map((register) => [register.name, machine.port.get(register)] as const);
    return { leaves: [result.address], registers: new Map(registers) };
  }

  #returnAddress(): readonly number[] {
    const bytes = this.#machine.readMemory(Number(this.stack), wordBytes);
    return bytes === undefined ? [] : [Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true))];
  }

  #watch(words: (path: string, numbers: Int32Array) => void): void {
    const isWatched = this.#isWatched;
    this.#machine.watch({ isWatched, halves: true, words, name: () => {}, listing: () => {} });
  }

  /** A line with other bytes where the code reads it. */
  drawn({ path, index, halves }: FoldedLine, random: RandomState): LineContents {
    this.#machine.restore(this.#begin);
    const bytes = new Uint8Array(lineBytes);
    const contents = this.#machine.poolContents(path);
    if (contents !== undefined) this.#machine.readContents(contents, index * lineBytes, bytes);
    for (const half of halves)
      for (let at = 0; at < halfBytes; at++) bytes[half * halfBytes + at] = next32(random) & 0xff;
    return { path, index, bytes };
  }

  release(): void {
    this.#machine.release(this.#begin);
  }
}
