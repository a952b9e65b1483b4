/**
 * Memory given out within a transaction, by where that happened. Always:
 * - What is reserved, or allocated by the transaction, is its own until it ends: if it fails, nobody can reach the memory. So
 *   pmemobj_action(3) says of pmemobj_reserve; TX_NEW adds such memory by itself.
 * - The root object, and what libpmemobj's atomic functions give out, is published when their call returns, whatever becomes of
 *   the transaction (pmemobj_root(3), pmemobj_alloc(3)): only stores within that call, as of its constructor, are free.
 * - Names are asked for when a store depends on them: most programs add what they allocate.
 */
import type { ContextTree, Frame } from "../../trace/events/index.ts";
import type { Libraries } from "./libraries.ts";
import type { Range, RangeMap } from "./ranges.ts";

/** Where memory was given out. */
export interface Giving {
  readonly site: number;
  readonly stack: number;
}

export type FreshRanges = RangeMap<Giving>;

/** The calls that led to a place, innermost first. */
export type FrameLookup = (site: number, stack: number) => readonly Frame[];

const publishing = new Set([
  ...["pmemobj_root", "pmemobj_root_construct", "pmemobj_list_insert_new"],
  ...["pmemobj_alloc", "pmemobj_xalloc", "pmemobj_zalloc", "pmemobj_realloc", "pmemobj_zrealloc"],
  ...["pmemobj_strdup", "pmemobj_wcsdup"],
]);

export class FreshMemory {
  readonly #contexts: ContextTree;
  readonly #libraries: Libraries;
  readonly #frames: FrameLookup;
  /** By the context of a giving. */
  readonly #calls = new Map<number, number>();

  constructor(contexts: ContextTree, libraries: Libraries, frames: FrameLookup) {
    this.#contexts = contexts;
    this.#libraries = libraries;
    this.#frames = frames;
  }

  /** The range that holds all of a store, if it is the transaction's own until the end. */
  ownRange(fresh: FreshRanges, start: number, end: number): Range<Giving> | undefined {
    const range = fresh.holding(start, end);
    return range !== undefined && this.#publishingCall(range.data) === 0 ? range : undefined;
  }

  /** Whether a store by calls as these is free everywhere in [start, end). */
  allows(fresh: FreshRanges, start: number, end: number, stack: number): boolean {
    for (let at = start; at < end; ) {
      const range = fresh.at(at);
      if (range === undefined || !this.#isFree(range.data, stack)) return false;
      at = range.end;
    }
    return true;
  }

  #isFree(giving: Giving, stack: number): boolean {
    const call = this.#publishingCall(giving);
    return call === 0 || this.#contexts.chain(stack).includes(call);
  }

  /** The context of the program's call that gives memory out and publishes it before it returns; 0 if it does not. */
  #publishingCall(giving: Giving): number {
    const known = this.#calls.get(giving.stack);
    if (known !== undefined) return known;
    const call = this.#publishes(giving) ? this.#libraries.callInto(giving.stack) : 0;
    this.#calls.set(giving.stack, call);
    return call;
  }

  #publishes({ site, stack }: Giving): boolean {
    if (!this.#libraries.isPmem(site)) return false;
    return this.#frames(site, stack).some((frame) => publishing.has(frame.function ?? ""));
  }
}
