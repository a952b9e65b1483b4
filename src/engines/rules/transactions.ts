/**
 * Transactions, as a program tells of them through pmemcheck's requests. Always:
 * - A transaction lives from its first start to the matching end; starts nest. Its ranges go with it.
 * - What was added to a transaction that ended is an object of transactions, until its memory is freed or given out anew.
 */
import type { Mark } from "../../finding/index.ts";
import { RangeMap } from "./ranges.ts";

interface Transaction {
  depth: number;
  readonly added: RangeMap<Mark>;
  /** All that was ever added: libpmemobj takes ranges out again before the end. */
  readonly everAdded: RangeMap<Mark>;
  readonly threads: Set<number>;
}

const newTransaction = (): Transaction => ({
  depth: 0,
  added: new RangeMap<Mark>(),
  everAdded: new RangeMap<Mark>(),
  threads: new Set<number>(),
});

export class Transactions {
  readonly #running = new Map<number, Transaction>();
  readonly #ofThread = new Map<number, Set<number>>();
  readonly ignored = new RangeMap<undefined>();
  /** Ranges that ended transactions had added, with the place of the first adding. */
  readonly objects = new RangeMap<Mark>();
  readonly #onObject: (start: number, end: number) => void;

  constructor(onObject: (start: number, end: number) => void) {
    this.#onObject = onObject;
  }

  /** How many transactions a thread takes part in. */
  countOf(thread: number): number {
    return this.#ofThread.get(thread)?.size ?? 0;
  }

  start(name: number, thread: number): void {
    const running = this.#running.get(name) ?? newTransaction();
    running.depth++;
    this.#running.set(name, running);
    this.join(name, thread);
  }

  end(name: number): void {
    const running = this.#running.get(name);
    if (running === undefined || --running.depth > 0) return;
    for (const { start, end, data } of running.everAdded) {
      this.objects.add(start, end, data);
      this.#onObject(start, end);
    }
    for (const thread of running.threads) this.#ofThread.get(thread)?.delete(name);
    this.#running.delete(name);
  }

  join(name: number, thread: number): void {
    const running = this.#running.get(name);
    if (running === undefined) return;
    running.threads.add(thread);
    const names = this.#ofThread.get(thread) ?? new Set<number>();
    this.#ofThread.set(thread, names.add(name));
  }

  leave(name: number, thread: number): void {
    this.#running.get(name)?.threads.delete(thread);
    this.#ofThread.get(thread)?.delete(name);
  }

  /** Adds a range; returns the earlier adding it repeats, if any. */
  add(name: number, start: number, length: number, mark: Mark): Mark | undefined {
    const running = this.#running.get(name);
    if (running === undefined) return undefined;
    const earlier = running.added.overlap(start, start + length)?.data;
    running.added.add(start, start + length, mark);
    running.everAdded.add(start, start + length, mark);
    return earlier;
  }

  remove(name: number, start: number, length: number): void {
    this.#running.get(name)?.added.remove(start, start + length);
  }

  /** Freed, or given out anew: what transactions knew of it is about another object. */
  forget(start: number, length: number): void {
    const known = length === 0 ? this.objects.at(start) : undefined;
    this.objects.remove(start, known?.end ?? start + length);
  }

  /** Whether a thread's transactions, or the program's word, allow a store. */
  allows(thread: number, start: number, end: number): boolean {
    if (this.ignored.covers(start, end)) return true;
    return this.protects(thread, start, end);
  }

  /** Whether one of the thread's transactions has added all of a range. */
  protects(thread: number, start: number, end: number): boolean {
    for (const name of this.#ofThread.get(thread) ?? [])
      if (this.#running.get(name)?.added.covers(start, end)) return true;
    return false;
  }
}
