/**
 * Words that are locks, versions or counters: taken by a locked operation and given back, by another or by a plain store. A
 * crash may lose them, and recovery is to begin them anew. Always:
 * - A locked operation is a `locked` record and, right behind it, a store of the same thread and site.
 * - Given back means that the word holds what it held before it was taken, or the next number.
 * - A word counts from the record on that first gives it back, not before. Its size is that of the locked operation that
 *   took it first; stores of other sizes there are not looked at.
 */
import { codeIn, codeOf, inRecord, recordWords, storedBytes } from "../../trace/index.ts";

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

const { store: storeCode, "non-temporal": nonTemporalCode, locked: lockedCode } = codeOf;
/** One bit of an address's hash tells most stores that they are to no such word. */
const filterSize = 1 << 16;
const hashOf = (address: number): number => (address ^ (address >>> 16)) & (filterSize - 1);

export class LockWords {
  readonly #words = new Map<number, LockWord>();
  readonly #filter = new Uint8Array(filterSize);
  /** Of the locked operation whose record was the last: its thread and site. */
  #thread = -1;
  #site = 0;

  /** Follows records; the first one's position is given. */
  follow(words: Uint32Array, first: number): void {
    // Every record comes by here, and next to none is of a lock: what is asked of each stays in registers.
    let [thread, site] = [this.#thread, this.#site];
    const filter = this.#filter;
    for (let at = 0, position = first; at < words.length; at += recordWords, position++) {
      const head = words[at]!;
      const code = codeIn(head);
      if (code === lockedCode) {
        thread = head >>> 16;
        site = words[at + inRecord.site]!;
        continue;
      }
      if (code === storeCode || code === nonTemporalCode) {
        const isLocked = thread === head >>> 16 && site === words[at + inRecord.site];
        if (isLocked || filter[hashOf(words[at + inRecord.address]!)] !== 0) this.#store(words, at, position, isLocked);
      }
      thread = -1;
    }
    this.#thread = thread;
    this.#site = site;
  }

  /** Whether the word at an address is known for a lock at a position. */
  isLock(address: number, position: number): boolean {
    const since = this.#words.get(address)?.since ?? 0;
    return since !== 0 && since <= position;
  }

  #store(words: Uint32Array, at: number, position: number, isLocked: boolean): void {
    const address = words[at + inRecord.address]!;
    const bytes = storedBytes(words[at]!);
    const known = this.#words.get(address);
    if (known === undefined ? !isLocked : known.bytes !== bytes) return;
    const word = known ?? newWord(bytes);
    if (known === undefined) {
      this.#words.set(address, word);
      this.#filter[hashOf(address)] = 1;
    }
    take(word, words[at + inRecord.low]!, words[at + inRecord.high]!, isLocked, position);
  }
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
