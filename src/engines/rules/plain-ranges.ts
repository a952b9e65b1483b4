/**
 * Where stores need no look at transactions: around the last one that was looked at, for compiled code (core/take.ts) to know
 * the next ones there by two compares. Always:
 * - Within the allowed range the transactions of one thread allow every store, until `allowedLess`.
 * - Within the gap there is no object of transactions, until `objectMade`.
 * - Within the ignored range no store counts, until `ignoredLess`.
 */
import { cell, type TrackerMemory, wordAt } from "./memory.ts";

interface Bounds {
  readonly start: number;
  readonly end: number;
}

const lengthOf = ({ start, end }: Bounds): number => Math.min(end - start, 0xffff_ffff);

export class PlainRanges {
  readonly #memory: TrackerMemory;

  constructor(memory: TrackerMemory) {
    this.#memory = memory;
  }

  /** A thread, given by where its state lies, may store anywhere in a range. */
  allow(state: number, range: Bounds): void {
    this.#set(cell.allowedState, state);
    this.#set(cell.allowedStart, range.start);
    this.#set(cell.allowedLength, lengthOf(range));
  }

  noObjectsIn(range: Bounds): void {
    this.#set(cell.gapStart, range.start);
    this.#set(cell.gapLength, lengthOf(range));
  }

  ignore(range: Bounds): void {
    this.#set(cell.ignoredStart, range.start);
    this.#set(cell.ignoredLength, lengthOf(range));
  }

  /** Stores to some of a range count again. */
  ignoredLess({ start, end }: Bounds): void {
    const { words } = this.#memory;
    const first = words[wordAt(cell.ignoredStart)]!;
    const after = first + words[wordAt(cell.ignoredLength)]!;
    if (start < after && first < end) this.#set(cell.ignoredLength, 0);
  }

  /** Transactions may allow less than they did. */
  allowedLess(): void {
    this.#set(cell.allowedLength, 0);
  }

  objectMade(): void {
    this.#set(cell.gapLength, 0);
  }

  #set(which: number, value: number): void {
    this.#memory.words[wordAt(which)] = value;
  }
}
