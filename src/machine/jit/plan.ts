/**
 * Decides for each value of a block whether it is written where it is used or kept in a local. Always:
 * - What has an effect is emitted at its own place and in order; what only computes may move towards its only use.
 * - A register is read from its own local unless the register changes before the value's last use.
 * - An op whose value nobody needs, and that has no effect, is not emitted.
 */
import { type Block, type Exit, type Op, opArgs, opType, type Register, type Value } from "../../isa/ir/index.ts";
import type { ValueType } from "../../isa/wasm/index.ts";
import { isFloatMacro } from "./floats.ts";

export interface BlockPlan {
  /** 1: emitted at its own place. */
  readonly isEmitted: Uint8Array;
  /** The local that holds an op's value, or -1: written where it is used. */
  readonly local: Int32Array;
}

/** Locals for the values of one block; those of the block before may be used again. */
export interface LocalPool {
  take(type: ValueType): number;
  give(type: ValueType, local: number): void;
}

/** A block's own locals: reused within the block, and all given back at its end. */
export class BlockLocals implements LocalPool {
  readonly #pool: LocalPool;
  readonly #taken: [ValueType, number][] = [];
  readonly #free: Partial<Record<ValueType, number[]>> = {};

  constructor(pool: LocalPool) {
    this.#pool = pool;
  }
  take(type: ValueType): number {
    const free = this.#free[type]?.pop();
    if (free !== undefined) return free;
    const local = this.#pool.take(type);
    this.#taken.push([type, local]);
    return local;
  }
  give(type: ValueType, local: number): void {
    const free = this.#free[type] ?? [];
    this.#free[type] = free;
    free.push(local);
  }
  /** No value of the block is needed any more. */
  release(): void {
    for (const [type, local] of this.#taken) this.#pool.give(type, local);
  }
}

/** Ops that change or show something: nothing with an effect moves across them. */
const effects: ReadonlySet<Op["kind"]> = new Set([
  "put",
  "load",
  "store",
  "probe",
  "flags",
  "carry",
  "call",
  "trap",
  "flush",
  "fence",
  "patch",
  "frames",
]);
export function exitValue(exit: Exit): Value | undefined {
  switch (exit.kind) {
    case "branch":
      return exit.when;
    case "jump":
    case "return":
    case "call":
      return exit.target;
    default:
      return undefined;
  }
}

/** `deadFlags`: ops that set flags nobody asks for. `floatsAct`: floating-point macros raise flags, so they are effects. */
export function planBlock(
  block: Block,
  deadFlags: ReadonlySet<number>,
  floatsAct: boolean,
  pool: LocalPool,
): BlockPlan {
  const { ops } = block;
  const uses = new Int32Array(ops.length);
  const lastUse = new Int32Array(ops.length).fill(-1);
  const isEmitted = new Uint8Array(ops.length);
  const local = new Int32Array(ops.length).fill(-1);
  const hazards = new Hazards(ops.length);
  const use = (value: Value, at: number) => {
    uses[value]!++;
    if (at > lastUse[value]!) lastUse[value] = at;
  };
  const last = exitValue(block.exit);
  if (last !== undefined) use(last, ops.length);
  for (let i = ops.length - 1; i >= 0; i--) {
    const op = ops[i]!;
    const effect = (effects.has(op.kind) && !deadFlags.has(i)) || (floatsAct && isFloatMacro(op));
    if (effect) hazards.note(op, i);
    if (!effect && uses[i] === 0) continue;
    const stays = effect || !mayMove(op, uses[i]!, lastUse[i]!, hazards);
    if (stays) isEmitted[i] = 1;
    for (const value of opArgs(op)) use(value, stays ? i : lastUse[i]!);
  }
  assignLocals(ops, { isEmitted, uses, lastUse, local }, pool);
  return { isEmitted, local };
}

/** The next place where a register, or the flags, change; scanning backwards. */
class Hazards {
  readonly #puts = new Map<Register, number>();
  #flags: number;
  constructor(end: number) {
    this.#flags = end;
  }
  note(op: Op, at: number): void {
    if (op.kind === "put") this.#puts.set(op.register, at);
    else if (op.kind === "flags" || op.kind === "carry") this.#flags = at;
  }
  changesBefore(op: Op, at: number): boolean {
    if (op.kind === "get") return (this.#puts.get(op.register) ?? at) < at;
    return this.#flags < at;
  }
}

function mayMove(op: Op, uses: number, lastUse: number, hazards: Hazards): boolean {
  switch (op.kind) {
    case "const":
      return true;
    case "get":
      return !hazards.changesBefore(op, lastUse);
    case "flag":
    case "condition":
      return uses === 1 && !hazards.changesBefore(op, lastUse);
    default:
      return uses === 1;
  }
}

interface Lifetimes {
  readonly isEmitted: Uint8Array;
  readonly uses: Int32Array;
  readonly lastUse: Int32Array;
  readonly local: Int32Array;
}

function assignLocals(ops: readonly Op[], { isEmitted, uses, lastUse, local }: Lifetimes, pool: LocalPool): void {
  const expiring = new Map<number, [ValueType, number][]>();
  for (let i = 0; i <= ops.length; i++) {
    for (const [type, free] of expiring.get(i) ?? []) pool.give(type, free);
    if (i === ops.length || !isEmitted[i] || uses[i] === 0) continue;
    const type = opType(ops[i]!);
    if (type === undefined) continue;
    const taken = pool.take(type);
    local[i] = taken;
    const end = Math.min(lastUse[i]! + 1, ops.length);
    const list = expiring.get(end);
    if (list) list.push([type, taken]);
    else expiring.set(end, [[type, taken]]);
  }
}
