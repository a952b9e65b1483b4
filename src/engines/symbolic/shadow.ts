/**
 * What of a machine's state depends on unknown input, as terms beside it: bytes of memory, and each thread's registers and noted flags.
 * Always: what has no term here is the same for every input that satisfies the path's condition.
 */

import type { NotedFlags, Register } from "../../isa/ir/index.ts";
import type { MachinePort } from "../../machine/index.ts";
import type { Term } from "../../smt/index.ts";
import { FileTerms } from "./file-terms.ts";
import type { Value } from "./value.ts";

class ThreadShadow {
  readonly registers: Map<Register, Term>;
  flags: NotedFlags<Value> | undefined;

  constructor(other?: ThreadShadow) {
    this.registers = new Map(other?.registers);
    this.flags = other?.flags;
  }
  get isEmpty(): boolean {
    return this.registers.size === 0 && this.flags === undefined;
  }
}

export class Shadow {
  readonly #port: MachinePort;
  readonly #bytes: Map<number, Term>;
  readonly #threads: Map<number, ThreadShadow>;
  readonly files: FileTerms;

  constructor(port: MachinePort, other?: Shadow) {
    this.#port = port;
    this.#bytes = new Map(other?.bytes);
    this.files = new FileTerms(other?.files);
    this.#threads = new Map([...(other?.threads ?? [])].map(([tid, thread]) => [tid, new ThreadShadow(thread)]));
  }
  copy(): Shadow {
    return new Shadow(this.#port, this);
  }

  // ── Memory ──────────────────────────────────────────────────────────────────────────────────────────────────

  get bytes(): ReadonlyMap<number, Term> {
    return this.#bytes;
  }
  byte(address: number): Term | undefined {
    return this.#bytes.get(address);
  }
  /** Undefined: the byte is the same for all inputs. */
  setByte(address: number, term: Term | undefined): void {
    if (term === undefined) {
      this.#bytes.delete(address);
      return;
    }
    this.#bytes.set(address, term);
    const page = this.#port.pageOf(address);
    if (!this.#port.isWatched(page)) this.#port.watchPage(page, true);
  }
  clear(address: number, length: number): void {
    if (this.#bytes.size < length) {
      for (const at of this.#bytes.keys()) if (at >= address && at < address + length) this.#bytes.delete(at);
    } else for (let at = address; at < address + length; at++) this.#bytes.delete(at);
  }
  /** Bytes of a range that depend on input. */
  within(address: number, length: number): readonly (readonly [number, Term])[] {
    if (this.#bytes.size < length)
      return [...this.#bytes].filter(([at]) => at >= address && at < address + length).sort(([a], [b]) => a - b);
    const found: (readonly [number, Term])[] = [];
    for (let at = address; at < address + length; at++) {
      const term = this.#bytes.get(at);
      if (term !== undefined) found.push([at, term]);
    }
    return found;
  }

  // ── Threads ─────────────────────────────────────────────────────────────────────────────────────────────────

  get threads(): ReadonlyMap<number, ThreadShadow> {
    return this.#threads;
  }
  #threadOf(tid: number): ThreadShadow {
    let thread = this.#threads.get(tid);
    if (thread === undefined) {
      thread = new ThreadShadow();
      this.#threads.set(tid, thread);
    }
    return thread;
  }
  register(tid: number, register: Register): Term | undefined {
    return this.#threads.get(tid)?.registers.get(register);
  }
  setRegister(tid: number, register: Register, term: Term | undefined): void {
    if (term !== undefined) this.#threadOf(tid).registers.set(register, term);
    else this.#threads.get(tid)?.registers.delete(register);
  }
  flags(tid: number): NotedFlags<Value> | undefined {
    return this.#threads.get(tid)?.flags;
  }
  setFlags(tid: number, flags: NotedFlags<Value> | undefined): void {
    if (flags !== undefined || this.#threads.has(tid)) this.#threadOf(tid).flags = flags;
  }
  /** Whether nothing of the thread's registers and flags depends on input. */
  isPlain(tid: number): boolean {
    return this.#threads.get(tid)?.isEmpty ?? true;
  }
  get areAllPlain(): boolean {
    return [...this.#threads.values()].every(({ isEmpty }) => isEmpty);
  }
  clearThread(tid: number): void {
    this.#threads.delete(tid);
  }
}
