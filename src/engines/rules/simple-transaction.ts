/**
 * The one transaction that compiled code follows by itself (core/transactions.ts): of one thread, while no other runs, with
 * few ranges that do not overlap. libpmemobj adds each of its own writes to one and takes it out again, so that most requests of
 * a program are about it. Always:
 * - Whatever it cannot follow is left to TypeScript, which takes the transaction over as it stands (`Transactions`).
 * - What is known of an object of transactions is true: `covered` may forget, and never says too much.
 */
import type { Mark } from "../../crash/finding/index.ts";
import type { FreshRanges, Giving } from "./fresh-memory.ts";
import { cell, type TrackerMemory, table, wordAt } from "./memory.ts";
import { type Range, RangeMap } from "./ranges.ts";
import { threadShift } from "./threads.ts";

/** Ranges that it has at once, and addings in all. */
export const mostAdded = 32;
export const mostAddings = 256;
/** The words of a range, and of an adding. */
export const inAdded = { start: 0, end: 1, adding: 2 } as const;
export const inAdding = { start: 0, length: 1, site: 2, stack: 3, position: 4 } as const;
export const addedBytes = 12;
export const addingBytes = 20;

/** For so many lines, each in the place of its number's last bits: the line plus one, and which eights of it are in objects. */
export const coveredLines = 1 << 16;
const coveredWords = 2;

export class SimpleTransaction {
  readonly #memory: TrackerMemory;
  readonly #fresh: FreshRanges = new RangeMap<Giving>();

  constructor(memory: TrackerMemory) {
    this.#memory = memory;
  }

  #cell(which: number): number {
    return this.#memory.words[wordAt(which)]!;
  }

  get isRunning(): boolean {
    return this.#cell(cell.simpleState) !== 0;
  }

  get thread(): number {
    return (this.#cell(cell.simpleState) - table.threads) >>> threadShift;
  }

  get name(): number {
    return this.#cell(cell.simpleName);
  }

  get depth(): number {
    return this.#cell(cell.simpleDepth);
  }

  isOf(thread: number): boolean {
    return this.isRunning && this.thread === thread;
  }

  /** TypeScript has it from now on, or it has ended. */
  stop(): void {
    this.#memory.words[wordAt(cell.simpleState)] = 0;
  }

  /** Memory given out within the transaction; what an earlier one had is forgotten. */
  get fresh(): FreshRanges {
    const { words } = this.#memory;
    if (words[wordAt(cell.simpleHasFresh)] === 0) this.#fresh.clear();
    words[wordAt(cell.simpleHasFresh)] = 1;
    return this.#fresh;
  }

  /** Each adding, the first one first. */
  addings(): Range<Mark>[] {
    return Array.from({ length: this.#cell(cell.simpleAddings) }, (_, number) => this.#adding(number));
  }

  #adding(number: number): Range<Mark> {
    const at = wordAt(table.simpleAddings + number * addingBytes);
    const [start = 0, size = 0, site = 0, stack = 0, position = 0] = this.#memory.words.subarray(at, at + 5);
    const data = { seq: position - 1, thread: this.thread, site, stack, address: start, size } as Mark;
    return { start, end: start + size, data };
  }

  /** The ranges that it has now. */
  added(): Range<Mark>[] {
    return Array.from({ length: this.#cell(cell.simpleAdded) }, (_, index) => {
      const at = wordAt(table.simpleAdded + index * addedBytes);
      const { words } = this.#memory;
      const { data } = this.#adding(words[at + inAdded.adding]!);
      return { start: words[at + inAdded.start]!, end: words[at + inAdded.end]!, data };
    });
  }

  /** A range that was added and holds all of a store. */
  holding(start: number, end: number): { readonly start: number; readonly end: number } | undefined {
    const at = this.#addedAt(start);
    const { words } = this.#memory;
    if (at === undefined || words[at + inAdded.end]! < end) return undefined;
    return { start: words[at + inAdded.start]!, end: words[at + inAdded.end]! };
  }

  /** Whether every byte of [start, end) was added. */
  protects(start: number, end: number): boolean {
    for (let next = start; next < end; ) {
      const at = this.#addedAt(next);
      if (at === undefined) return false;
      next = this.#memory.words[at + inAdded.end]!;
    }
    return true;
  }

  /** The word where the range lies that holds an address. */
  #addedAt(address: number): number | undefined {
    const { words } = this.#memory;
    const first = wordAt(table.simpleAdded);
    const after = first + (this.#cell(cell.simpleAdded) * addedBytes) / 4;
    for (let at = first; at < after; at += addedBytes / 4)
      if (words[at + inAdded.start]! <= address && address < words[at + inAdded.end]!) return at;
    return undefined;
  }

  /** All of [start, end) is in objects of transactions. */
  noteObject(start: number, end: number): void {
    const { words } = this.#memory;
    const [first, after] = [Math.ceil(start / 8), Math.floor(end / 8)];
    if (after - first > coveredLines) return;
    for (let eight = first; eight < after; eight++) {
      const at = placeOf(eight >>> 3);
      if (words[at] !== (eight >>> 3) + 1) words[at + 1] = 0;
      words[at] = (eight >>> 3) + 1;
      words[at + 1]! |= 1 << (eight & 7);
    }
  }

  /** Some of [start, end) may no longer be in any. */
  forgetObjects(start: number, end: number): void {
    const { words } = this.#memory;
    const [first, after] = [start >>> 6, Math.ceil(end / 64)];
    if (after - first >= coveredLines)
      return void words.fill(0, wordAt(table.coveredLines), placeOf(coveredLines - 1) + coveredWords);
    for (let line = first; line < after; line++) if (words[placeOf(line)] === line + 1) words[placeOf(line)] = 0;
  }
}

const placeOf = (line: number): number => wordAt(table.coveredLines) + coveredWords * (line & (coveredLines - 1));
