/**
 * What of a machine's state depends on unknown input, as terms beside it: bytes of memory, and each thread's registers and noted flags.
 * Always: what has no term here is the same for every input that satisfies the path's condition.
 */

import type { NotedFlags, Register } from "../../isa/ir/index.ts";
import type { MachinePort } from "../../machine/index.ts";
import type { Term } from "../../smt/index.ts";
import { FileTerms } from "./file-terms.ts";
import type { Value } from "./value.ts";

/** Of memory that the machine stops before. */
const markedBytes = 4;

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
    if (term === undefined) return this.#forget(address);
    this.#bytes.set(address, term);
    this.#show(address);
  }
  clear(address: number, length: number): void {
    if (this.#bytes.size < length) {
      for (const at of this.#bytes.keys()) if (at >= address && at < address + length) this.#forget(at);
    } else for (let at = address; at < address + length; at++) this.#forget(at);
  }
  #forget(address: number): void {
    if (!this.#bytes.delete(address)) return;
    const first = address - (address % markedBytes);
    for (let at = first; at < first + markedBytes; at++) if (this.#bytes.has(at)) return;
    this.#port.markAt(address, false);
  }
  #show(address: number): void {
    this.#port.markAt(address, true);
    const page = this.#port.pageOf(address);
    if (!this.#port.isWatched(page)) this.#port.watchPage(page, true);
  }
  /** The machine stops before it uses any of these bytes. */
  show(): void {
    for (const address of this.#bytes.keys()) this.#show(address);
  }
  /** It has nothing to do with this shadow any more. */
  hide(): void {
    const pages = new Set<number>();
    for (const address of this.#bytes.keys()) {
      this.#port.markAt(address, false);
      pages.add(this.#port.pageOf(address));
    }
    for (const page of pages) this.#port.watchPage(page, false);
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
  /** The machine stops before it uses what depends on input of this thread's registers and flags. */
  stopBeforeUse(tid: number): void {
    const thread = this.#threads.get(tid);
    this.#port.stopBefore(thread?.registers.keys() ?? [], thread?.flags !== undefined);
  }
  clearThread(tid: number): void {
    this.#threads.delete(tid);
  }
}
