/**
 * Transactions, as a program tells of them through pmemcheck's requests. Always:
 * - A transaction lives from its first start to the matching end; starts nest. Its ranges go with it.
 * - What was added to a transaction that ended is an object of transactions, until its memory is freed or given out anew.
 * - Memory given out to a thread within its transaction may be stored to as fresh-memory.ts says.
 */
import type { Mark } from "../../crash/finding/index.ts";
import type { FreshMemory, FreshRanges, Giving } from "./fresh-memory.ts";
import { type Range, RangeMap } from "./ranges.ts";
import type { SimpleTransaction } from "./simple-transaction.ts";

interface Transaction {
  depth: number;
  readonly added: RangeMap<Mark>;
  /** All that was ever added: libpmemobj takes ranges out again before the end. */
  readonly everAdded: RangeMap<Mark>;
  /** Memory given out within the transaction. */
  readonly fresh: FreshRanges;
  readonly threads: Set<number>;
}

export interface TransactionHooks {
  /** What was added to a transaction that ended. */
  objectMade(start: number, end: number): void;
  /** A thread takes part in so many transactions now. */
  countChanged(thread: number, count: number): void;
  /** So many transactions run now. */
  runningChanged(count: number): void;
  /** Stores that were allowed may no longer be. */
  allowedLess(): void;
}

const newTransaction = (): Transaction => ({
  depth: 0,
  added: new RangeMap<Mark>(),
  everAdded: new RangeMap<Mark>(),
  fresh: new RangeMap<Giving>(),
  threads: new Set<number>(),
});

export class Transactions {
  readonly #running = new Map<number, Transaction>();
  /** Ended ones, to be used again: there is a transaction for each operation of a program. */
  readonly #ended: Transaction[] = [];
  readonly #ofThread = new Map<number, Set<number>>();
  readonly ignored = new RangeMap<undefined>();
  /** Ranges that ended transactions had added, with the place of the first adding. */
  readonly objects = new RangeMap<Mark>();
  readonly #hooks: TransactionHooks;
  /** It runs only while no other does. */
  readonly #simple: SimpleTransaction;

  readonly #freshMemory: FreshMemory;

  constructor(simple: SimpleTransaction, freshMemory: FreshMemory, hooks: TransactionHooks) {
    this.#simple = simple;
    this.#freshMemory = freshMemory;
    this.#hooks = hooks;
  }

  /** From now on it is one like others. */
  #takeOver(): void {
    const simple = this.#simple;
    if (!simple.isRunning) return;
    const running = this.#ended.pop() ?? newTransaction();
    running.depth = simple.depth;
    for (const { start, end, data } of simple.added()) running.added.add(start, end, data);
    for (const { start, end, data } of simple.addings()) running.everAdded.add(start, end, data);
    for (const { start, end, data } of simple.fresh) running.fresh.add(start, end, data);
    const { name, thread } = simple;
    this.#running.set(name, running);
    this.#hooks.runningChanged(this.#running.size);
    simple.stop();
    this.join(name, thread);
  }

  /** The simple one ends, and some that it added are new objects. */
  #endSimple(): void {
    const simple = this.#simple;
    for (const { start, end, data } of simple.addings()) this.#makeObject(start, end, data);
    this.#hooks.countChanged(simple.thread, 0);
    simple.stop();
    this.#hooks.allowedLess();
  }

  #makeObject(start: number, end: number, data: Mark): void {
    this.objects.add(start, end, data);
    this.#simple.noteObject(start, end);
    this.#hooks.objectMade(start, end);
  }

  #noObject(start: number, end: number): void {
    this.objects.remove(start, end);
    this.#simple.forgetObjects(start, end);
  }

  start(name: number, thread: number): void {
    this.#takeOver();
    const running = this.#running.get(name) ?? this.#ended.pop() ?? newTransaction();
    running.depth++;
    this.#running.set(name, running);
    this.#hooks.runningChanged(this.#running.size);
    this.join(name, thread);
  }

  end(name: number): void {
    if (this.#simple.isRunning && this.#simple.name === name && this.#simple.depth === 1) return this.#endSimple();
    this.#takeOver();
    const running = this.#running.get(name);
    if (running === undefined || --running.depth > 0) return;
    for (const { start, end, data } of running.everAdded) this.#makeObject(start, end, data);
    for (const thread of running.threads) this.#part(name, thread);
    this.#running.delete(name);
    this.#hooks.runningChanged(this.#running.size);
    this.#hooks.allowedLess();
    for (const part of [running.added, running.everAdded, running.fresh, running.threads]) part.clear();
    this.#ended.push(running);
  }

  join(name: number, thread: number): void {
    this.#takeOver();
    const running = this.#running.get(name);
    if (running === undefined) return;
    running.threads.add(thread);
    const names = this.#ofThread.get(thread) ?? new Set<number>();
    this.#ofThread.set(thread, names.add(name));
    this.#hooks.countChanged(thread, names.size);
  }

  /** Whether a thread takes part in a running transaction. */
  has(name: number, thread: number): boolean {
    return this.#running.get(name)?.threads.has(thread) ?? false;
  }

  leave(name: number, thread: number): void {
    this.#takeOver();
    this.#running.get(name)?.threads.delete(thread);
    this.#part(name, thread);
    this.#hooks.allowedLess();
  }

  #part(name: number, thread: number): void {
    const names = this.#ofThread.get(thread);
    if (names?.delete(name)) this.#hooks.countChanged(thread, names.size);
  }

  /** The adding of some of a range to another transaction that runs, and that the thread has no part in. */
  addedByOthers(name: number, thread: number, start: number, length: number): Mark | undefined {
    if (!this.#running.has(name)) return undefined;
    for (const [otherName, { threads, added }] of this.#running) {
      if (otherName === name || threads.has(thread)) continue;
      const other = added.overlap(start, start + length);
      if (other !== undefined) return other.data;
    }
    return undefined;
  }

  /** Adds a range; returns the earlier adding it repeats, if any. */
  add(name: number, start: number, length: number, mark: Mark): Mark | undefined {
    this.#takeOver();
    const running = this.#running.get(name);
    if (running === undefined) return undefined;
    const earlier = running.added.overlap(start, start + length)?.data;
    running.added.add(start, start + length, mark);
    running.everAdded.add(start, start + length, mark);
    return earlier;
  }

  remove(name: number, start: number, length: number): void {
    this.#takeOver();
    this.#running.get(name)?.added.remove(start, start + length);
    this.#hooks.allowedLess();
  }

  /** What transactions knew of the memory is about another object. */
  allocated(thread: number, start: number, length: number, giving: Giving): void {
    this.#noObject(start, start + length);
    if (this.#simple.isOf(thread)) this.#give(this.#simple.fresh, start, start + length, giving);
    for (const name of this.#ofThread.get(thread) ?? [])
      this.#give(this.#running.get(name)!.fresh, start, start + length, giving);
  }

  #give(fresh: FreshRanges, start: number, end: number, giving: Giving): void {
    if (fresh.overlap(start, end) !== undefined) {
      fresh.remove(start, end);
      this.#hooks.allowedLess();
    }
    fresh.add(start, end, giving);
  }

  freed(start: number, end: number): void {
    this.#noObject(start, end);
    if (this.#simple.isRunning) this.#simple.fresh.remove(start, end);
    for (const { fresh } of this.#running.values()) fresh.remove(start, end);
    this.#hooks.allowedLess();
  }

  /** Whether a thread's transactions, or the program's word, allow a store by calls as these. */
  allows(thread: number, start: number, end: number, stack: number): boolean {
    if (this.ignored.covers(start, end) || this.protects(thread, start, end)) return true;
    const memory = this.#freshMemory;
    if (this.#simple.isOf(thread)) return memory.allows(this.#simple.fresh, start, end, stack);
    for (const name of this.#ofThread.get(thread) ?? [])
      if (memory.allows(this.#running.get(name)!.fresh, start, end, stack)) return true;
    return false;
  }

  /** A range of one of the thread's transactions that holds all of a store, and where every other store is allowed too. */
  rangeOf(thread: number, start: number, end: number): Omit<Range<unknown>, "data"> | undefined {
    const [simple, memory] = [this.#simple, this.#freshMemory];
    if (simple.isOf(thread)) return simple.holding(start, end) ?? memory.ownRange(simple.fresh, start, end);
    for (const name of this.#ofThread.get(thread) ?? []) {
      const { added, fresh } = this.#running.get(name)!;
      const range = added.holding(start, end) ?? memory.ownRange(fresh, start, end);
      if (range !== undefined) return range;
    }
    return undefined;
  }

  /** Whether one of the thread's transactions has added all of a range. */
  protects(thread: number, start: number, end: number): boolean {
    if (this.#simple.isOf(thread)) return this.#simple.protects(start, end);
    for (const name of this.#ofThread.get(thread) ?? [])
      if (this.#running.get(name)?.added.covers(start, end)) return true;
    return false;
  }
}
