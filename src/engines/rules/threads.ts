/**
 * What each thread has flushed and not yet fenced. Only its own fence completes a thread's flushes (docs/MODEL.md, PM-21).
 * A state lies in the shared memory at a place that follows from the thread's number, so compiled code needs no table.
 */
import { blockBytes, type TrackerMemory, table, wordAt } from "./memory.ts";

/** Bytes of a state: a power of two. */
export const threadShift = 7;

/** The words of a state. */
export const inThread = {
  /** Pending flushes, where their list lies and how many it holds. */
  count: 0,
  list: 1,
  room: 2,
  /** Flushes since the last fence that left nothing pending: of clean lines, of other memory, synchronous ones. */
  others: 3,
  /** Runs of neighbouring lines flushed from one place since the last fence. */
  groups: 4,
  /** Position of the last fence that completed a flush. */
  lastOrdering: 5,
  /**
   * Position and calling context of a locked operation that completed the pending flushes. They are settled at the
   * thread's next event; until then it may turn out that the operation was not the program's own (see `Notes`).
   */
  lockedAt: 6,
  lockedStack: 7,
  /** Transactions the thread takes part in. */
  transactions: 8,
  /** Not 0 once there is a `ThreadState` for it. */
  known: 9,
  /** Places of the newest flush, and of the first of each of the first two groups: site, stack, address, position. */
  newest: 12,
  firstGroup: 16,
  secondGroup: 20,
} as const;
type Field = keyof typeof inThread;

/** Per pending flush: the line's entry, and the position up to which the flush covers it. */
export const pendingWords = 2;

export const threadAddress = (id: number): number => table.threads + (id << threadShift);

interface FlushPlace {
  readonly site: number;
  readonly stack: number;
  readonly address: number;
  readonly position: number;
}

export class ThreadState {
  readonly id: number;
  readonly #memory: TrackerMemory;

  constructor(id: number, memory: TrackerMemory) {
    this.id = id;
    this.#memory = memory;
    this.set("known", 1);
  }

  get address(): number {
    return threadAddress(this.id);
  }

  get(field: Field): number {
    return this.#memory.words[wordAt(this.address) + inThread[field]]!;
  }
  set(field: Field, value: number): void {
    this.#memory.words[wordAt(this.address) + inThread[field]] = value;
  }

  /** A flush that left nothing pending. */
  addOther(): void {
    this.set("others", this.get("others") + 1);
  }

  place(which: "newest" | "firstGroup" | "secondGroup"): FlushPlace {
    const at = wordAt(this.address) + inThread[which];
    const [site = 0, stack = 0, address = 0, position = 0] = this.#memory.words.subarray(at, at + 4);
    return { site, stack, address, position };
  }

  pendingEntry(index: number): number {
    return this.#memory.words[wordAt(this.get("list")) + pendingWords * index]!;
  }

  clear(): void {
    for (const field of ["count", "others", "groups", "lockedAt"] as const) this.set(field, 0);
  }
}

/** Gives the state at an address a longer list of pending flushes. */
export function lengthenPending(memory: TrackerMemory, state: number): void {
  const room = memory.words[wordAt(state) + inThread.room]!;
  const bytes = Math.max(blockBytes, 2 * room * pendingWords * 4);
  const list = memory.allocate(bytes);
  const at = wordAt(state);
  const old = memory.words[at + inThread.list]!;
  memory.bytes.copyWithin(list, old, old + room * pendingWords * 4);
  memory.words[at + inThread.list] = list;
  memory.words[at + inThread.room] = bytes / (pendingWords * 4);
}
