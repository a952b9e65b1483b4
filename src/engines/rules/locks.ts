/**
 * Words that are locks, versions or counters: taken by a locked operation and given back, by another or by a plain store. A
 * crash may lose them, and recovery is to begin them anew. Always:
 * - A locked operation is a `locked` record and, right behind it, a store of the same thread and site.
 * - Given back means that the word holds what it held before it was taken, or the next number.
 * - A word counts from the record on that first gives it back, not before. Its size is that of the locked operation that
 *   took it first; stores of other sizes there are not looked at.
 */
import { codeIn, codeOf, inRecord, recordWords, storedBytes } from "../../trace/index.ts";
import { pageFlag, type TrackerMemory, table } from "./memory.ts";

interface LockWord {
  readonly bytes: number;
  /** What it holds, and held before it was taken; two words each. */
  low: number;
  high: number;
  beforeLow: number;
  beforeHigh: number;
  isTaken: boolean;
  /** The position that first gave it back; 0: none yet. */
  since: number;
}

/** In pages with such words, one byte for an address's hash tells most stores that they are to none (core/take.ts). */
export const lockFilterSize = 1 << 16;
const hashOf = (address: number): number => (address ^ (address >>> 16)) & (lockFilterSize - 1);

export class LockWords {
  readonly #words = new Map<number, LockWord>();
  readonly #memory: TrackerMemory;

  constructor(memory: TrackerMemory) {
    this.#memory = memory;
  }

  /** Follows a store: the record at a word of the memory; the record before it lies before it. */
  follow(at: number, position: number): void {
    const { words, bytes } = this.#memory;
    const isLocked = belongsToLocked(words, at);
    const address = words[at + inRecord.address]!;
    if (!isLocked && bytes[table.lockFilter + hashOf(address)] === 0) return;
    const size = storedBytes(words[at]!);
    const known = this.#words.get(address);
    if (known === undefined ? !isLocked : known.bytes !== size) return;
    const word = known ?? newWord(size);
    if (known === undefined) {
      this.#words.set(address, word);
      bytes[table.lockFilter + hashOf(address)] = 1;
      bytes[table.pageFlags + (address >>> 12)]! |= pageFlag.locks;
    }
    take(word, words[at + inRecord.low]!, words[at + inRecord.high]!, isLocked, position);
  }

  /** Whether the word at an address is known for a lock at a position. */
  isLock(address: number, position: number): boolean {
    const since = this.#words.get(address)?.since ?? 0;
    return since !== 0 && since <= position;
  }
}

function belongsToLocked(words: Uint32Array, at: number): boolean {
  const before = at - recordWords;
  const head = words[before]!;
  if (codeIn(head) !== codeOf.locked || head >>> 16 !== words[at]! >>> 16) return false;
  return words[before + inRecord.site] === words[at + inRecord.site];
}

const newWord = (bytes: number): LockWord => ({
  bytes,
  low: 0,
  high: 0,
  beforeLow: 0,
  beforeHigh: 0,
  isTaken: false,
  since: 0,
});

function take(word: LockWord, low: number, high: number, isLocked: boolean, position: number): void {
  const isBack = low === word.beforeLow && high === word.beforeHigh;
  const nextLow = (word.low + 1) >>> 0;
  const isNext = low === nextLow && high === (nextLow === 0 ? word.high + 1 : word.high);
  if (word.isTaken && (isBack || isNext)) {
    if (word.since === 0) word.since = position;
    word.isTaken = false;
  } else if (isLocked) {
    word.beforeLow = word.low;
    word.beforeHigh = word.high;
    word.isTaken = true;
  }
  word.low = low;
  word.high = high;
}
