/**
 * The control flow of one function, recovered from its code. Always:
 * - Every block begins where something jumps to or where the one before ends; no block reaches over another's beginning.
 * - Code of the function that nothing was seen to reach is there as well: it follows the jumps whose targets are unknown,
 *   or, where there are none, is entered from outside, as landing pads of exceptions are.
 * - Roots and successors are blocks that there are.
 * A call is followed by what it returns to. Targets outside the function are tail calls and end a path.
 */
import type { Block, Exit, Op } from "../ir/index.ts";
import { liftBlock, maxBlockInstructions } from "../lift/index.ts";
import { type Code, type CodeRange, liesIn } from "./code.ts";
import { tableTargets } from "./jump-tables.ts";

export interface FlowBlock {
  readonly block: Block;
  readonly successors: readonly number[];
}

export interface FunctionFlow {
  readonly entry: number;
  /** By address. */
  readonly blocks: ReadonlyMap<number, FlowBlock>;
  /** Blocks that are entered from outside the function or from nobody knows where, the entry first. */
  readonly roots: readonly number[];
  /** Where the control flow is only guessed: jumps whose targets are unknown. */
  readonly unresolved: readonly number[];
}

/** Whatever processor will run it. */
const lifting = { traced: false, level: "v3" } as const;
const CHUNK = 1024;
/** Functions beyond this are left alone: nobody wrote them by hand, and an analysis would take for ever. */
const MAX_BLOCKS = 20_000;
const MAX_CODE = 2 ** 20;

/** Undefined when there is no code at the entry, or too much of it. */
export function recoverFlow(code: Code, entry: number, ranges: readonly CodeRange[]): FunctionFlow | undefined {
  const size = ranges.reduce((sum, { low, high }) => sum + high - low, 0);
  if (!(size <= MAX_CODE)) return undefined;
  return new Recovery(code, entry, ranges).run();
}

class Recovery {
  readonly #code: Code;
  readonly #entry: number;
  readonly #ranges: readonly CodeRange[];
  readonly #blocks = new Map<number, Block>();
  /** Each instruction's block. */
  readonly #owner = new Map<number, number>();
  readonly #tables = new Map<number, readonly number[]>();
  readonly #roots: number[];
  /** How far gaps were looked for. */
  #range = 0;
  #scanned = 0;

  constructor(code: Code, entry: number, ranges: readonly CodeRange[]) {
    this.#code = code;
    this.#entry = entry;
    this.#ranges = ranges;
    this.#roots = [entry];
  }

  run(): FunctionFlow | undefined {
    this.#follow(this.#entry);
    for (let gap = this.#nextGap(); gap !== undefined; gap = this.#nextGap()) {
      if (this.#blocks.size > MAX_BLOCKS) return undefined;
      this.#roots.push(gap);
      this.#follow(gap);
    }
    if (!this.#blocks.has(this.#entry)) return undefined;
    const unresolved = [...this.#blocks.values()]
      .filter((block) => this.#isUnresolved(block))
      .map(({ start }) => start);
    const found = this.#roots.filter((root) => this.#blocks.has(root));
    const gaps = found.slice(1);
    const blocks = new Map<number, FlowBlock>();
    for (const [start, block] of this.#blocks) {
      const reached = this.#targets(block).filter((target) => this.#blocks.has(target));
      const successors = this.#isUnresolved(block) ? [...reached, ...gaps] : reached;
      blocks.set(start, { block, successors: [...new Set(successors)] });
    }
    const roots = unresolved.length === 0 ? found : [this.#entry];
    return { entry: this.#entry, blocks, roots, unresolved };
  }

  #isUnresolved({ start, exit }: Block): boolean {
    return exit.kind === "jump" && !this.#tables.has(start);
  }

  #follow(from: number): void {
    const waiting = [from];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (this.#blocks.has(at) || !liesIn(this.#ranges, at) || this.#blocks.size > MAX_BLOCKS) continue;
      this.#splitAt(at);
      const block = this.#lift(at);
      if (block === undefined) continue;
      if (block.exit.kind === "jump") {
        const targets = tableTargets(this.#code, block, [...this.#blocks.values()], this.#ranges);
        if (targets !== undefined) this.#tables.set(at, targets);
      }
      waiting.push(...this.#targets(block));
    }
  }

  /** Up to the next block's beginning. */
  #lift(start: number, limit = maxBlockInstructions): Block | undefined {
    const end = this.#ranges.find(({ low, high }) => start >= low && start < high)?.high ?? start;
    const bytes = this.#code.bytes(start, Math.min(CHUNK, end - start));
    const block = liftBlock(bytes, start, limit, lifting);
    if (block === undefined) return undefined;
    const own = addressesOf(block);
    const before = own.findIndex((address, index) => index > 0 && this.#blocks.has(address));
    if (before > 0) return this.#lift(start, before);
    this.#blocks.set(start, block);
    for (const address of own) this.#owner.set(address, start);
    return block;
  }

  /** A jump into the middle of a block cuts it in two. */
  #splitAt(address: number): void {
    const owner = this.#owner.get(address);
    const block = owner === undefined ? undefined : this.#blocks.get(owner);
    if (block === undefined) return;
    const before = addressesOf(block).indexOf(address);
    this.#tables.delete(block.start);
    if (before > 0) this.#lift(block.start, before);
  }

  #targets({ start, exit }: Block): readonly number[] {
    const table = this.#tables.get(start);
    return table ?? targetsOf(exit).filter((target) => liesIn(this.#ranges, target));
  }

  /** The first code, from the last gap on, that no block has; padding between blocks is none. */
  #nextGap(): number | undefined {
    for (; this.#range < this.#ranges.length; this.#range++) {
      const { low, high } = this.#ranges[this.#range] as CodeRange;
      for (let at = Math.max(low, this.#scanned); at < high; ) {
        const owner = this.#owner.get(at);
        const block = owner === undefined ? undefined : this.#blocks.get(owner);
        if (block !== undefined) at = Math.max(block.end, at + 1);
        else {
          const padding = this.#paddingAt(at);
          at += Math.max(padding, 1);
          this.#scanned = at;
          if (padding === 0) return at - 1;
        }
      }
      this.#scanned = 0;
    }
    return undefined;
  }

  /** How many bytes at an address do nothing: what compilers and assemblers fill gaps with. */
  #paddingAt(at: number): number {
    const bytes = this.#code.bytes(at, LONGEST_INSTRUCTION);
    if (bytes[0] === INT3) return 1;
    const block = liftBlock(bytes, at, 1, lifting);
    const isNop = block?.exit.kind === "goto" && block.ops.every(({ kind }) => kind === "inst");
    return isNop ? block.end - at : 0;
  }
}

const LONGEST_INSTRUCTION = 15;
const INT3 = 0xcc;

const addressesOf = ({ ops }: Block): readonly number[] =>
  ops.flatMap((op: Op) => (op.kind === "inst" ? [op.address] : []));

/** Where a block's end leads within its function, as far as the block itself says. */
export function targetsOf(exit: Exit): readonly number[] {
  if (exit.kind === "goto") return [exit.target];
  if (exit.kind === "branch") return [exit.target, exit.otherwise];
  if (exit.kind === "call") return [exit.returnTo];
  return exit.kind === "syscall" || exit.kind === "complex" ? [exit.next] : [];
}
