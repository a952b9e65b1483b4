/**
 * Patches of instructions that the machine makes itself: repeated strings, FXSAVE and their kin. The flushes come when the
 * whole instruction is done, line by line over all that it stored to. A repeated string may stop on its way, when the buffer
 * of events is full, and go on; where it began is remembered until then.
 */
import type { PatchOp } from "../../isa/ir/index.ts";
import { isFlush, type SitePatch } from "../../isa/lift/index.ts";
import type { Instruction, Memory } from "../../isa/x86/index.ts";
import { codeOf } from "../../trace/record/index.ts";
import { type ComplexContext, Cursor, isBackward, operandAddress } from "../complex/index.ts";
import { type Runtime, stop } from "../runtime/index.ts";

type Insert = (kind: number, number: number, address: bigint, size: number, rip: number) => void;

const rcx = 1;
const isString = /^(movs|stos|lods|cmps|scas)[bwdq]$/;
const isStoring = /^(movs|stos)/;

interface Range {
  readonly address: bigint;
  readonly size: number;
}

const memoryOperands = ({ operands }: Instruction): readonly Memory[] =>
  operands.filter((operand): operand is Memory => operand.kind === "mem");

/** Where repeated strings began that are not done: by the instruction and how far it got. Plain data, for snapshots. */
export type UnfinishedStrings = ReadonlyMap<string, readonly bigint[]>;

export class PatchedInstructions {
  readonly #machine: ComplexContext;
  readonly #insert: Insert;
  unfinished: UnfinishedStrings = new Map();

  constructor(machine: ComplexContext, runtime: Runtime) {
    this.#machine = machine;
    this.#insert = runtime.exports.patch as Insert;
  }

  /** Makes the instruction by `make`, which gives a stop code, and inserts what is to come after it. */
  run(instruction: Instruction, patches: readonly SitePatch[], make: () => number): number {
    const ranges = isString.test(instruction.mnemonic) ? this.#string(instruction) : this.#whole(instruction);
    const code = make();
    const done = ranges(code);
    if (code !== stop.none) return code;
    for (const { op, number } of patches) this.#insertAll(op, number, done, instruction.address);
    return code;
  }

  #insertAll(op: PatchOp, number: number, ranges: readonly Range[], rip: number): void {
    if (!isFlush(op)) return this.#insert(codeOf[op], number, 0n, 1, rip);
    for (const { address, size } of ranges) this.#insert(codeOf[op], number, BigInt.asIntN(64, address), size, rip);
  }

  /** Operands whose addresses do not change. */
  #whole(instruction: Instruction): () => readonly Range[] {
    const ranges = memoryOperands(instruction).map((operand) => ({
      address: operandAddress(this.#machine, operand),
      size: operand.size,
    }));
    return () => ranges;
  }

  /** From where the string began to where it is when it is done. */
  #string(instruction: Instruction): (code: number) => readonly Range[] {
    const operands = memoryOperands(instruction).slice(0, isStoring.test(instruction.mnemonic) ? 1 : 2);
    const cursors = operands.map((operand) => new Cursor(this.#machine, operand));
    const places = () => cursors.map(({ address }) => address);
    const key = () => `${instruction.address} ${this.#machine.readGpr(rcx)} ${places()}`;
    const unfinished = new Map(this.unfinished);
    const starts = unfinished.get(key()) ?? places();
    unfinished.delete(key());
    return (code) => {
      if (code !== stop.none) unfinished.set(key(), starts);
      this.unfinished = unfinished;
      const { size } = operands[0]!;
      const rangeOf = (from: bigint, to: bigint) =>
        isBackward(this.#machine)
          ? { address: to + BigInt(size), size: Number(from - to) }
          : { address: from, size: Number(to - from) };
      const ends = places();
      return starts.map((start, i) => rangeOf(start, ends[i]!)).filter((range) => range.size > 0);
    };
  }
}
