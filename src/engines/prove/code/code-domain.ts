/**
 * A block's operations over terms, from the state of one thread: registers and the thread's own memory are values, everything else in
 * memory becomes events.
 */
import type { Access, Domain, FenceOp, FlushOp, LoadKind, NotedFlags, Register, Store } from "../../../isa/ir/index.ts";
import { accessSize } from "../../../isa/ir/index.ts";
import type { Term, Terms } from "../../../smt/index.ts";
import { InstructionEvents, type TakeEvent } from "./code-events.ts";
import { TermAlgebra } from "./term-algebra.ts";
import type { CodeState } from "./thread-state.ts";
import { Unencodable } from "./unencodable.ts";

/** What surrounds a thread. */
export interface CodeSurroundings {
  readonly terms: Terms;
  /** Whether an address is the thread's own. */
  readonly isOwn: (address: number, size: number) => boolean;
  /** What a byte that nobody changes is; undefined where somebody might. */
  readonly constantByte: (address: number) => number | undefined;
  /** What a load from memory that others may use finds. */
  readonly find: (address: Term, size: number, reached: Term) => Term;
  readonly take: TakeEvent;
  /** Something that must not happen where control comes by, or the proof says nothing. */
  readonly oblige: (fails: Term, why: string, at: number) => void;
}

/** The code fails at an instruction: what comes after is never reached. */
type Fault = never;

const byteBits = 8;
/** Larger accesses are made in pieces, which may tear. */
const largest = 8;

export class CodeDomain extends TermAlgebra implements Domain<Term, Fault> {
  readonly #around: CodeSurroundings;
  readonly #state: CodeState;
  readonly #events: InstructionEvents;

  constructor(around: CodeSurroundings, state: CodeState) {
    super(around.terms);
    this.#around = around;
    this.#state = state;
    this.#events = new InstructionEvents(around.terms, around.take);
  }

  get flags(): NotedFlags<Term> {
    return this.#state.flags;
  }
  set flags(flags: NotedFlags<Term>) {
    this.#state.flags = flags;
  }

  get({ name }: Register): Term {
    return this.#state.registers.get(name)!;
  }

  put({ name }: Register, value: Term): void {
    this.#state.registers.set(name, value);
  }

  begin(address: number): void {
    this.finish();
    this.at = address;
  }

  /** The block is over. */
  finish(): void {
    this.#events.finish(this.#state.reached, this.at);
  }

  check({ kind, address, size, aligned }: Access<Term>): undefined {
    if (kind === "flush") return;
    // x86 lets ordinary accesses cross borders, but then they are not atomic and no piece of the model's.
    const by = aligned ? 16 : Math.min(size, largest);
    if (this.#ownAddress(address, size) !== undefined && !aligned) return;
    const low = this.terms.compute("bitAnd", address, this.constant("i64", BigInt(by - 1)));
    this.#around.oblige(this.#here(this.holds(low)), "an access that is not aligned", this.at);
  }

  load(access: LoadKind, address: Term): Term {
    const size = accessSize[access];
    const value = this.#loaded(address, size);
    return access === "i32.load8_u" || access === "i32.load16_u" ? this.terms.extend(value, 32) : value;
  }

  #loaded(address: Term, size: number): Term {
    const own = this.#ownAddress(address, size);
    if (own !== undefined) return this.#state.own.load(own, size);
    if (size > largest) {
      const high = this.#loaded(this.#after(address, largest), size - largest);
      return this.terms.concat(high, this.#loaded(address, largest));
    }
    const known = this.#constantAt(address, size);
    if (known !== undefined) return known;
    const found = this.#around.find(address, size, this.#state.reached);
    this.#events.add({ kind: "load", address, size, found });
    return found;
  }

  store({ access, address, value, upper, nonTemporal, when }: Store<Term>): void {
    const size = accessSize[access];
    const stored =
      upper === undefined ? this.terms.extract(value, 0, byteBits * size) : this.terms.concat(upper, value);
    const happens = when === undefined ? this.terms.true : this.holds(when);
    const own = this.#ownAddress(address, size);
    if (own !== undefined) {
      const before = when === undefined ? stored : this.#state.own.load(own, size);
      this.#state.own.store(own, this.terms.choose(happens, stored, before));
      return;
    }
    for (let at = 0; at < size; at += largest) {
      const width = Math.min(size, largest);
      const piece = this.terms.extract(stored, byteBits * at, byteBits * width);
      const place = at === 0 ? address : this.#after(address, at);
      this.#events.add({ kind: "store", address: place, size: width, stored: piece, nonTemporal, when: happens });
    }
  }

  decide(when: Term): boolean {
    this.#around.oblige(this.#here(this.holds(when)), "an instruction that traps", this.at);
    return false;
  }

  flush(op: FlushOp, address: Term): void {
    this.#events.add({ kind: "flush", op, address });
  }

  fence(op: FenceOp): void {
    this.#events.fence(op);
  }

  patch(): void {
    throw new Unencodable("code that was patched", this.at);
  }

  frames(): void {}

  #here(condition: Term): Term {
    return this.terms.and(this.#state.reached, condition);
  }

  #after(address: Term, bytes: number): Term {
    return this.terms.compute("add", address, this.constant("i64", BigInt(bytes)));
  }

  #ownAddress(address: Term, size: number): number | undefined {
    if (address.op !== "constant") return undefined;
    const at = Number(address.value);
    return this.#around.isOwn(at, size) ? at : undefined;
  }

  #constantAt(address: Term, size: number): Term | undefined {
    if (address.op !== "constant") return undefined;
    let value = 0n;
    for (let at = size - 1; at >= 0; at--) {
      const byte = this.#around.constantByte(Number(address.value) + at);
      if (byte === undefined) return undefined;
      value = (value << BigInt(byteBits)) | BigInt(byte);
    }
    return this.terms.constant(byteBits * size, value);
  }
}
