/**
 * Evaluates a block beside the machine, before the machine runs it: values with terms come from the shadow, all others from the
 * machine. What the block would store is held back, since the machine stores it; `commit` makes the shadow what it is afterwards.
 * Addresses are fixed, but of loads from a small window, and conditions decide as they do for the input at hand.
 */
import { assert } from "../../base/index.ts";
import {
  type Access,
  accessSize,
  type Domain,
  type LoadKind,
  type NotedFlags,
  type Register,
  type Store,
} from "../../isa/ir/index.ts";
import type { MachinePort } from "../../machine/index.ts";
import type { Term, Terms } from "../../smt/index.ts";
import { MixedAlgebra } from "./mixed-algebra.ts";
import type { Path } from "./path.ts";
import type { Shadow } from "./shadow.ts";
import { isLater, known, later, type Value } from "./value.ts";
import { type AddressWindow, chosen, possibleValues, windowOf } from "./window.ts";

/** The machine says what becomes of it. */
export type Refused = "refused";

const addressBits = 32n;
const addressEnd = 2 ** Number(addressBits);
const byteBits = 8;
const vectorBytes = 16;

/** By its place in a value that was stored as a whole. */
interface StoredByte {
  readonly of: Value;
  readonly index: number;
}

export class ShadowDomain extends MixedAlgebra implements Domain<Value, Refused> {
  readonly #port: MachinePort;
  readonly #shadow: Shadow;
  readonly #path: Path;
  readonly #thread: number;
  readonly #registers = new Map<Register, Value>();
  readonly #stored = new Map<number, StoredByte>();
  /** By the address's term: of loads that may be of several addresses. */
  readonly #windows = new Map<Term, AddressWindow>();
  #flags: NotedFlags<Value> | undefined;

  constructor(terms: Terms, port: MachinePort, shadow: Shadow, path: Path) {
    super(terms, (value) => path.fix(value));
    this.#port = port;
    this.#shadow = shadow;
    this.#path = path;
    this.#thread = port.thread;
  }

  // ── Registers and flags ─────────────────────────────────────────────────────────────────────────────────────

  get(register: Register): Value {
    const put = this.#registers.get(register);
    return put ?? { bits: this.#port.get(register), term: this.#shadow.register(this.#thread, register) };
  }
  put(register: Register, value: Value): void {
    this.#registers.set(register, value);
  }

  get flags(): NotedFlags<Value> {
    const noted = this.#flags ?? this.#shadow.flags(this.#thread);
    if (noted !== undefined) return noted;
    const { left, right, result, carry, ...rest } = this.#port.flags;
    const extra = carry === undefined ? {} : { carry: known(carry) };
    return { ...rest, left: known(left), right: known(right), result: known(result), ...extra };
  }
  set flags(noted: NotedFlags<Value>) {
    this.#flags = noted;
  }

  // ── Memory ──────────────────────────────────────────────────────────────────────────────────────────────────

  check(access: Access<Value>): Refused | undefined {
    const { kind, address, size, aligned } = access;
    if (address.term !== undefined && !this.#hasWindow(access)) this.#path.fix(address);
    const at = address.bits!;
    if (at >> addressBits !== 0n || (aligned && at % 16n !== 0n)) return "refused";
    const writes = kind === "store" || kind === "probe";
    const may = writes ? this.#port.canWrite(Number(at), size) : this.#port.canRead(Number(at), size);
    return may ? undefined : "refused";
  }

  /** Whether a load can be of any address that the term may be. */
  #hasWindow({ kind, address, size, aligned }: Access<Value>): boolean {
    const { term } = address;
    if (kind !== "load" || aligned || term === undefined) return false;
    const window = windowOf(term, this.#path.windowFacts);
    if (window === undefined) return false;
    const isReadable = possibleValues(window).every((value) => {
      const at = window.addressOf(value);
      return at < addressEnd && this.#port.canRead(at, size);
    });
    if (isReadable) this.#windows.set(term, window);
    return isReadable;
  }

  load(access: LoadKind, address: Value): Value {
    const size = accessSize[access];
    const here = this.#loadAt(Number(address.bits!), size);
    const window = address.term && this.#windows.get(address.term);
    if (window === undefined) return here;
    const width = Math.max(size * byteBits, 32);
    const there = (value: number): Term | undefined => {
      if (!window.isPossible(value)) return undefined;
      return this.termOf(this.#loadAt(window.addressOf(value), size), width);
    };
    return this.made(here.bits!, chosen(this.terms, window, there)!);
  }

  #loadAt(at: number, size: number): Value {
    const bytes = Array.from({ length: size }, (_, i) => this.#byte(at + i));
    if (bytes.every((byte) => byte === undefined)) return known(this.#port.read(at, size));
    const values = bytes.map((byte, i) => byte ?? known(BigInt(this.#port.byteAt(at + i))));
    if (values.some(isLater)) return this.#fixedBytes(values);
    const bits = values.reduceRight((high, { bits }) => (high << 8n) | bits!, 0n);
    if (values.every(({ term }) => term === undefined)) return known(bits);
    const joined = values.map((value) => this.termOf(value, byteBits)).reduceRight((high, low) => this.terms.concat(high, low)); // biome-ignore format: one idea
    const width = Math.max(size * byteBits, 32);
    return this.made(bits, this.terms.extend(joined, width));
  }
  #fixedBytes(values: readonly Value[]): Value {
    for (const value of values) this.#path.fix(value);
    return later;
  }
  /** Undefined: what the machine has. */
  #byte(address: number): Value | undefined {
    const stored = this.#stored.get(address);
    if (stored !== undefined) return this.#storedByte(stored);
    const term = this.#shadow.byte(address);
    return term && { bits: BigInt(this.#port.byteAt(address)), term };
  }

  store({ access, address, value, upper, when }: Store<Value>): void {
    if (when !== undefined && !this.decide(when)) return;
    const at = Number(address.bits!);
    if (upper === undefined) return this.#store(at, accessSize[access], value);
    this.#store(at, vectorBytes, value);
    this.#store(at + vectorBytes, vectorBytes, upper);
  }
  #store(at: number, size: number, value: Value): void {
    for (let index = 0; index < size; index++) this.#stored.set(at + index, { of: value, index });
  }
  /** One byte of what was stored; most are never asked for. */
  #storedByte({ of: { bits, term }, index }: StoredByte): Value {
    if (bits === undefined) return later;
    const byte = (bits >> BigInt(byteBits * index)) & 0xffn;
    return term === undefined ? known(byte) : this.made(byte, this.terms.extract(term, byteBits * index, byteBits));
  }

  // ── What happens ────────────────────────────────────────────────────────────────────────────────────────────

  begin(address: number): void {
    this.#path.site = address;
  }
  decide(when: Value): boolean {
    if (isLater(when)) return false;
    if (when.term !== undefined) this.branchOn(when);
    return when.bits !== 0n;
  }
  /** Which way a condition of the IR goes. */
  branchOn({ bits, term }: Value): void {
    const t = this.terms;
    const isNone = t.equal(term!, t.constant(term!.sort, 0n));
    this.#path.branch(bits === 0n ? isNone : t.not(isNone));
  }
  flush(): void {}
  fence(): void {}
  patch(): void {}
  frames(): void {}

  // ── Afterwards ──────────────────────────────────────────────────────────────────────────────────────────────

  /** The machine has run what was evaluated. */
  commit(): void {
    for (const [register, { term }] of this.#registers) this.#shadow.setRegister(this.#thread, register, term);
    for (const [address, stored] of this.#stored) {
      const term = stored.of.term && this.#storedByte(stored).term;
      this.#shadow.setByte(address, term);
    }
    if (this.#flags !== undefined) this.#shadow.setFlags(this.#thread, this.#dependent(this.#flags));
  }
  /** The machine's registers are what was evaluated, from the block at `start` on. */
  compare(start: number): void {
    for (const [register, { bits }] of this.#registers)
      if (bits !== undefined && this.#port.get(register) !== bits)
        assert(false, `symbolic: ${register.name} is what was evaluated, at ${start}`);
  }

  #dependent(noted: NotedFlags<Value>): NotedFlags<Value> | undefined {
    const operands = [noted.left, noted.right, noted.result, ...(noted.carry ? [noted.carry] : [])];
    if (operands.some(isLater)) for (const operand of operands) this.#path.fix(operand);
    const depends = operands.some(({ term }) => term !== undefined) && !operands.some(isLater);
    return depends ? noted : undefined;
  }
}

/** The term of each of a value's bytes, lowest first. */
export const bytesOf = (t: Terms, term: Term | undefined, size: number): readonly (Term | undefined)[] =>
  Array.from({ length: size }, (_, i) => term && t.extract(term, byteBits * i, byteBits));
