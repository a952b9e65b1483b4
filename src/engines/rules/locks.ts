/**
 * Words that are locks, versions or counters: taken by a locked operation and given back, by another or by a plain store. A
 * crash may lose them, and recovery is to begin them anew. Always:
 * - A locked operation is a `locked` record and, right behind it, a store of the same thread and site.
 * - Given back means that the word holds what it held before it was taken, or the next number.
 * - A word counts from the record on that first gives it back, not before. Its size is that of the locked operation that
 *   took it first; stores of other sizes there are not looked at.
 * - A store is followed once: by compiled code if the table of hashes names its word (core/locks.ts), else here.
 */
import { codeIn, codeOf, inRecord, recordWords, storedBytes } from "../../trace/record/index.ts";
import type { Core } from "./core/index.ts";
import { blockBytes, pageFlag, type TrackerMemory, table, wordAt } from "./memory.ts";

/** The words of a lock word, two for each value. `since`: the position that first gave it back; 0: none yet. */
export const inLock = { address: 0, bytes: 1, value: 2, before: 4, isTaken: 6, since: 7, followed: 8 } as const;
const lockBytes = 64;

/** A word for an address's hash: see `table.lockWords`. */
export const lockHashes = 1 << 14;
const placeOf = (address: number): number =>
  wordAt(table.lockWords) + (((address >>> 2) ^ (address >>> 16)) & (lockHashes - 1));

export class LockWords {
  /** Where they lie, by the addresses of the guest. */
  readonly #words = new Map<number, number>();
  readonly #memory: TrackerMemory;
  readonly #core: Core;
  #next = 0;

  constructor(memory: TrackerMemory, core: Core) {
    this.#memory = memory;
    this.#core = core;
  }

  /** Follows a store: the record at a word of the memory; the record before it lies before it. */
  follow(at: number, position: number): void {
    const { words } = this.#memory;
    const isLocked = belongsToLocked(words, at);
    const address = words[at + inRecord.address]!;
    if (!isLocked && words[placeOf(address)] === 0) return;
    const size = storedBytes(words[at]!);
    const known = this.#words.get(address);
    if (known === undefined && !isLocked) return;
    const word = known ?? this.#enter(address, size);
    this.#memory.words[placeOf(address)] = word;
    if (this.#memory.words[wordAt(word) + inLock.bytes] === size)
      this.#core.followLock(4 * at, word, isLocked ? 1 : 0, position);
  }

  #enter(address: number, size: number): number {
    if (this.#next % blockBytes === 0) this.#next = this.#memory.allocate(blockBytes);
    const word = this.#next;
    this.#next += lockBytes;
    this.#words.set(address, word);
    const { words, bytes } = this.#memory;
    words[wordAt(word) + inLock.address] = address;
    words[wordAt(word) + inLock.bytes] = size;
    bytes[table.pageFlags + (address >>> 12)]! |= pageFlag.locks;
    return word;
  }

  /** Whether the word at an address is known for a lock at a position. */
  isLock(address: number, position: number): boolean {
    const word = this.#words.get(address);
    const since = word === undefined ? 0 : this.#memory.words[wordAt(word) + inLock.since]!;
    return since !== 0 && since <= position;
  }
}

function belongsToLocked(words: Uint32Array, at: number): boolean {
  const before = at - recordWords;
  const head = words[before]!;
  if (codeIn(head) !== codeOf.locked || head >>> 16 !== words[at]! >>> 16) return false;
  return words[before + inRecord.site] === words[at + inRecord.site];
}
