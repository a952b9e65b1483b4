/**
 * One thread's code with numbers for values, an instruction at a time: the slow twin of the walk over terms. It shares the lifted
 * instructions with it and nothing else. Always:
 * - A state is never changed after it was made: an instruction works on a copy.
 * - An instruction's loads of memory that others may use come before everything else that it does (isa/ir/block.ts), so that it can be
 *   done again from its beginning with one value more.
 */
import {
  type Access,
  accessSize,
  type Block,
  type Domain,
  evaluate,
  type FenceOp,
  type FlushOp,
  type HelperName,
  type LoadKind,
  type MacroName,
  type NotedFlags,
  NumberAlgebra,
  type Register,
  type RegName,
  type Store,
} from "../../../isa/ir/index.ts";
import { macroFormulas, Terms } from "../../../smt/index.ts";

/** What an instruction does to memory that others may use, besides loading. */
export type SharedOp =
  | {
      readonly kind: "store";
      readonly address: number;
      readonly size: number;
      readonly value: bigint;
      readonly nonTemporal: boolean;
    }
  | { readonly kind: "flush"; readonly op: FlushOp; readonly address: number }
  | { readonly kind: "fence"; readonly op: FenceOp };

export interface ConcreteState {
  readonly rip: number;
  readonly registers: ReadonlyMap<RegName, bigint>;
  readonly flags: NotedFlags<bigint>;
  /** Bytes of the thread's own memory that are not 0. */
  readonly own: ReadonlyMap<number, number>;
}

/** How far an instruction comes with the values that its loads are given. */
export type InstructionEnd =
  | { readonly kind: "load"; readonly address: number; readonly size: number }
  | { readonly kind: "done"; readonly state: ConcreteState; readonly ops: readonly SharedOp[] }
  | { readonly kind: "fault"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string };

export interface ConcreteSurroundings {
  readonly isOwn: (address: number, size: number) => boolean;
  readonly isMapped: (address: number, size: number) => boolean;
  /** A byte that nobody changes; undefined where somebody may. */
  readonly constantByte: (address: number) => number | undefined;
}

/** Thrown where an instruction cannot go on. */
class Halt {
  readonly end: InstructionEnd;
  constructor(end: InstructionEnd) {
    this.end = end;
  }
}

const largestPiece = 8;
const byteBits = 8n;

/** `values` are what the first loads find. */
export function executeInstruction(
  block: Block,
  state: ConcreteState,
  values: readonly bigint[],
  around: ConcreteSurroundings,
): InstructionEnd {
  const domain = new ConcreteDomain(state, values, around);
  try {
    const end = evaluate(block, domain);
    if (end.kind === "trap") return { kind: "fault", why: "an instruction that traps" };
    if (end.kind === "fault") return { kind: "refused", why: end.fault };
    const { exit, value } = end;
    if (exit.kind === "syscall") return { kind: "refused", why: "a system call" };
    if (exit.kind === "complex" || exit.kind === "trap")
      return { kind: "refused", why: "an instruction that the machine makes itself" };
    const rip =
      exit.kind === "goto"
        ? exit.target
        : exit.kind === "branch"
          ? value === 0n
            ? exit.otherwise
            : exit.target
          : exit.kind === "call" && exit.known !== undefined
            ? exit.known
            : Number(value);
    return { kind: "done", state: { ...domain.state(), rip }, ops: domain.ops };
  } catch (error) {
    if (error instanceof Halt) return error.end;
    throw error;
  }
}

class ConcreteDomain extends NumberAlgebra implements Domain<bigint, string> {
  readonly ops: SharedOp[] = [];
  flags: NotedFlags<bigint>;
  readonly #registers: Map<RegName, bigint>;
  readonly #own: Map<number, number>;
  readonly #values: readonly bigint[];
  readonly #around: ConcreteSurroundings;
  #loads = 0;

  constructor(state: ConcreteState, values: readonly bigint[], around: ConcreteSurroundings) {
    super();
    this.flags = state.flags;
    this.#registers = new Map(state.registers);
    this.#own = new Map(state.own);
    this.#values = values;
    this.#around = around;
  }

  state(): Omit<ConcreteState, "rip"> {
    return { registers: this.#registers, flags: this.flags, own: this.#own };
  }

  get({ name }: Register): bigint {
    return this.#registers.get(name)!;
  }

  put({ name }: Register, value: bigint): void {
    this.#registers.set(name, value);
  }

  check({ kind, address, size, aligned }: Access<bigint>): string | undefined {
    const at = Number(address);
    if (this.#around.isOwn(at, size)) return undefined;
    if (!this.#around.isMapped(at, kind === "flush" ? 1 : size))
      throw new Halt({ kind: "fault", why: "an access to memory that is not mapped" });
    if (kind === "flush") return undefined;
    return at % (aligned ? 16 : Math.min(size, largestPiece)) === 0 ? undefined : "an access that is not aligned";
  }

  load(access: LoadKind, address: bigint): bigint {
    const size = accessSize[access];
    let value = 0n;
    for (let at = 0; at < size; at += largestPiece)
      value |= this.#piece(Number(address) + at, Math.min(size, largestPiece)) << (byteBits * BigInt(at));
    return value;
  }

  #piece(address: number, size: number): bigint {
    const { isOwn, constantByte } = this.#around;
    const byteAt = isOwn(address, size) ? (at: number) => this.#own.get(at) ?? 0 : constantByte;
    let value = 0n;
    for (let at = address + size - 1; at >= address; at--) {
      const byte = byteAt(at);
      if (byte === undefined) return this.#shared(address, size);
      value = (value << byteBits) | BigInt(byte);
    }
    return value;
  }

  #shared(address: number, size: number): bigint {
    const value = this.#values[this.#loads++];
    if (value === undefined) throw new Halt({ kind: "load", address, size });
    return value;
  }

  store({ access, address, value, upper, nonTemporal, when }: Store<bigint>): void {
    if (when === 0n) return;
    const size = accessSize[access];
    const bits = upper === undefined ? value : value | (upper << 128n);
    const from = Number(address);
    const isOwn = this.#around.isOwn(from, size);
    const width = isOwn ? 1 : Math.min(size, largestPiece);
    for (let at = 0; at < size; at += width) {
      const piece = BigInt.asUintN(8 * width, bits >> (byteBits * BigInt(at)));
      if (isOwn) this.#putOwn(from + at, Number(piece));
      else this.ops.push({ kind: "store", address: from + at, size: width, value: piece, nonTemporal });
    }
  }

  #putOwn(address: number, byte: number): void {
    if (byte === 0) this.#own.delete(address);
    else this.#own.set(address, byte);
  }

  decide(when: bigint): boolean {
    return when !== 0n;
  }

  flush(op: FlushOp, address: bigint): void {
    this.ops.push({ kind: "flush", op, address: Number(address) });
  }

  fence(op: FenceOp): void {
    if (op !== "lfence") this.ops.push({ kind: "fence", op });
  }

  macro(name: MacroName, args: readonly bigint[]): bigint {
    const formula = macroFormulas[name];
    if (formula === undefined) throw new Halt({ kind: "refused", why: `there is no formula for ${name}` });
    const terms = new Terms();
    return formula(
      terms,
      args.map((value) => terms.constant(64, value)),
      0,
    ).value;
  }

  helper(name: HelperName): bigint {
    throw new Halt({ kind: "refused", why: `there is no formula for ${name}` });
  }

  begin(): void {}
  frames(): void {}
  patch(): void {
    throw new Halt({ kind: "refused", why: "code that was patched" });
  }
}
