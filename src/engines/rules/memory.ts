/**
 * One WebAssembly memory with all that the pass over a trace remembers, so that compiled code and TypeScript see the same
 * tables. Always:
 * - Fixed tables come first, then blocks of `blockBytes`, handed out one after another. The first block of all stays zero:
 *   what points to it points to nothing.
 * - The views are made anew when the memory grows; nobody keeps them over a call that may add a line or a flush.
 */
import { createMemory, InputError } from "../../base/index.ts";

export const blockBytes = 256;
/** A word of this memory at a byte's address. */
export const wordAt = (address: number): number => address >>> 2;

/** Numbers that compiled code and TypeScript share: addresses of words. */
export const cell = {
  /** The first of the free entries; lines that have one. */
  free: 0x100,
  live: 0x104,
  heapNext: 0x108,
  heapEnd: 0x10c,
  /** Whether a rule wants to know of stores that overwrite others. */
  judgesOverwrites: 0x110,
  /** Pages of the guest with entries lie from one to before the other. */
  firstPage: 0x114,
  afterPages: 0x118,
  /** Where stores need no look at transactions (plain-ranges.ts). */
  allowedState: 0x11c,
  allowedStart: 0x120,
  allowedLength: 0x124,
  gapStart: 0x128,
  gapLength: 0x12c,
  ignoredStart: 0x150,
  ignoredLength: 0x154,
  /** Whether a client request was seen, and how many transactions TypeScript follows. */
  sawRequests: 0x130,
  runningTransactions: 0x134,
  /** The transaction that compiled code follows: its thread's state, 0 for none (simple-transaction.ts). */
  simpleState: 0x138,
  simpleName: 0x13c,
  simpleDepth: 0x140,
  simpleAdded: 0x144,
  simpleAddings: 0x148,
  simpleHasFresh: 0x14c,
} as const;

/** Addresses of the fixed tables. */
export const table = {
  /** By a mask of eight bytes, the same as a mask of 64 bits. */
  wideMasks: 0x1000,
  /** Of what was pointed out before (repeats.ts). */
  repeats: 0x2000,
  /** Of the simple transaction: its ranges, and what was ever added; what is known of objects (simple-transaction.ts). */
  simpleAdded: 0x8000,
  simpleAddings: 0x9000,
  coveredLines: 0x1_0000,
  /** Lengths of objects given out, by the hash of where they start (objects.ts). */
  objects: 0xa_0000,
  /** A byte per page of the guest: see `pageFlag`. */
  pageFlags: 0x10_0000,
  /** Per page of the guest the address of its 64 entry numbers, one per line; 0 for a page without. */
  pages: 0x40_0000,
  /** A bit per line of the guest. */
  everFlushed: 0x80_0000,
  everStored: 0x100_0000,
  /** A state per thread number (threads.ts). */
  threads: 0x180_0000,
  /** By the hash of an address: where the last lock word with that hash lies, 0 for none (locks.ts). */
  lockWords: 0x200_0000,
  /** The records being looked at; before them the last one of those before. */
  records: 0x202_0000,
  /** A byte for each of so many lines in a row, then for the next ones again: see `lineFlags`. */
  ignoredLines: 0x210_0000,
  objectLines: 0x220_0000,
  heap: 0x230_0000,
} as const;

/**
 * What of a page needs a closer look at every store; whether all of it is known to be mapped persistently, or to be code that
 * copies on somebody's behalf; whether there is a lock word in it; whether all of it is code of a PMDK
 * library, or memory that transactions may store to without adding it; whether some of it ever was code that copies.
 */
export const pageFlag = {
  ignored: 1,
  objects: 2,
  persistent: 4,
  copying: 8,
  locks: 16,
  pmem: 32,
  free: 64,
  copied: 128,
} as const;

/** In pages with such a flag: which lines have ever had what it says. */
export const lineFlags = { [pageFlag.ignored]: table.ignoredLines, [pageFlag.objects]: table.objectLines } as const;
export const flaggedLines = 1 << 20;

const guestPages = 1 << 20;
const pageBytes = 0x1_0000;
export const mostPages = 0x1_0000;
const firstHeapPages = 16;

const tooManyLines = () =>
  new InputError(
    "rules/too-many-lines",
    "too much is stored and never persisted: the rules can follow about a gigabyte of it; trace a smaller run.",
    {},
  );

export class TrackerMemory {
  readonly memory = createMemory(table.heap / pageBytes + firstHeapPages, mostPages);
  words = new Uint32Array(this.memory.buffer);
  bytes = new Uint8Array(this.memory.buffer);
  readonly #mostPages: number;

  constructor(most: number = mostPages) {
    this.#mostPages = most;
    const masks = new BigUint64Array(this.memory.buffer, table.wideMasks, 256);
    for (let mask = 0; mask < masks.length; mask++)
      for (let byte = 0; byte < 8; byte++) if ((mask >>> byte) & 1) masks[mask]! |= 0xffn << BigInt(8 * byte);
    this.words[wordAt(cell.heapNext)] = table.heap;
    this.words[wordAt(cell.heapEnd)] = this.bytes.length;
    this.words[wordAt(cell.firstPage)] = guestPages;
  }

  /** The address of so many bytes in a row, which are zero; a multiple of blocks. */
  allocate(bytes: number): number {
    const address = this.words[wordAt(cell.heapNext)]!;
    if (address + bytes > this.bytes.length) this.grow(bytes);
    this.words[wordAt(cell.heapNext)] = address + bytes;
    return address;
  }

  /** Makes room for at least so many bytes more; as much again as there is, so that it is seldom asked for. */
  grow(bytes: number = blockBytes): void {
    const used = this.bytes.length / pageBytes;
    const wanted = Math.max(used - table.heap / pageBytes, Math.ceil(bytes / pageBytes));
    const pages = Math.min(wanted, this.#mostPages - used);
    if (pages * pageBytes < bytes) throw tooManyLines();
    this.memory.grow(pages);
    this.words = new Uint32Array(this.memory.buffer);
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words[wordAt(cell.heapEnd)] = this.bytes.length;
  }
}
