/**
 * Which stores a crash can only keep together with which others: A before B if A was sure to be durable when B was issued,
 * or if both lie in one line and A came first (Squint, step B). It is an interval order: two positions for each store say it
 * all, and edges exist only in drawings. Always:
 * - Stores are numbered in the order in which they were issued.
 * - Positions count events of the trace; a store that nothing made durable has none for that.
 * - Of two threads, what made A durable has to happen before B, or, in one line, A itself: that it came first in this run does not order them.
 */
import type { Precedence, ThreadEvent } from "./threads.ts";

const NEVER = 0xffff_ffff;

/** Threads of stores, and of what made them durable: only where there are several. */
interface ThreadColumns {
  stored: Uint16Array;
  fenced: Uint16Array;
}

export class StoreOrder {
  #count = 0;
  #issued = new Uint32Array(1024);
  #durable = new Uint32Array(1024);
  #line = new Float64Array(1024);
  #statement = new Uint32Array(1024);
  readonly #precedence: Precedence | undefined;
  readonly #threads: ThreadColumns | undefined;

  /** Without a precedence all stores are taken as those of one thread. */
  constructor(precedence?: Precedence) {
    this.#precedence = precedence;
    if (precedence !== undefined) this.#threads = { stored: new Uint16Array(1024), fenced: new Uint16Array(1024) };
  }

  get count(): number {
    return this.#count;
  }

  /** `statement` is the number of the one that made the store. */
  issue(position: number, line: number, statement = 0, thread = 0): number {
    if (this.#count === this.#issued.length) this.#grow();
    const store = this.#count++;
    this.#issued[store] = position;
    this.#durable[store] = NEVER;
    this.#line[store] = line;
    this.#statement[store] = statement;
    if (this.#threads !== undefined) this.#threads.stored[store] = thread;
    return store;
  }

  /** `thread` is whose fence made it so. */
  makeDurable(store: number, position: number, thread = 0): void {
    this.#durable[store] = position;
    if (this.#threads !== undefined) this.#threads.fenced[store] = thread;
  }

  isDurable(store: number): boolean {
    return this.#durable[store] !== NEVER;
  }

  issuedAt(store: number): number {
    return this.#issued[store]!;
  }

  /** Undefined: never in this run. */
  durableAt(store: number): number | undefined {
    return this.isDurable(store) ? this.#durable[store] : undefined;
  }

  lineOf(store: number): number {
    return this.#line[store]!;
  }

  statementOf(store: number): number {
    return this.#statement[store]!;
  }

  threadOf(store: number): number {
    return this.#threads?.stored[store] ?? 0;
  }

  /** Whether one thread made the stores and made them durable: positions say all of their order then. */
  isOfOneThread(stores: readonly number[]): boolean {
    if (this.#threads === undefined) return true;
    const { stored, fenced } = this.#threads;
    const thread = stored[stores[0]!]!;
    return stores.every((store) => stored[store] === thread && (!this.isDurable(store) || fenced[store] === thread));
  }

  precedes(a: number, b: number): boolean {
    if (a >= b) return false;
    const isSameLine = this.#line[a] === this.#line[b];
    if (this.#precedence === undefined) return isSameLine || this.#durable[a]! < this.#issued[b]!;
    const { stored, fenced } = this.#threads!;
    const later: ThreadEvent = { thread: stored[b]!, event: this.#issued[b]! };
    if (isSameLine && this.#precedence({ thread: stored[a]!, event: this.#issued[a]! }, later)) return true;
    return this.isDurable(a) && this.#precedence({ thread: fenced[a]!, event: this.#durable[a]! }, later);
  }

  #grow(): void {
    const size = 2 * this.#issued.length;
    const longer = <Column extends Uint16Array | Uint32Array | Float64Array>(column: Column, into: Column): Column => {
      into.set(column);
      return into;
    };
    this.#issued = longer(this.#issued, new Uint32Array(size));
    this.#durable = longer(this.#durable, new Uint32Array(size));
    this.#line = longer(this.#line, new Float64Array(size));
    this.#statement = longer(this.#statement, new Uint32Array(size));
    if (this.#threads === undefined) return;
    this.#threads.stored = longer(this.#threads.stored, new Uint16Array(size));
    this.#threads.fenced = longer(this.#threads.fenced, new Uint16Array(size));
  }
}
