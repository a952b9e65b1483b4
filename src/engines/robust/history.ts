/**
 * Who stored to which bytes, over all executions up to now, and so which stores would have replaced what a load read
 * (`next` of PSan, section 5.1). Always: a byte's stores stand in the order in which they became visible.
 */
import { assert } from "../../base/index.ts";
import type { ClockedStore } from "./intervals.ts";

/** Addresses are the caller's: offsets in a pool, or in all of persistent memory. */
export interface PlacedStore extends ClockedStore {
  readonly address: number;
  readonly size: number;
}

export class StoreHistory<Store extends PlacedStore> {
  /** By execution. */
  readonly #bytes: Map<number, Store[]>[] = [];

  /** In the order in which stores become visible. */
  add(store: Store): void {
    this.#bytes[store.execution] ??= new Map();
    const bytes = this.#bytes[store.execution]!;
    for (let address = store.address; address < store.address + store.size; address++) {
      const log = bytes.get(address);
      if (log === undefined) bytes.set(address, [store]);
      else log.push(store);
    }
  }

  /** For one byte that a load of this execution read from the store (undefined: from before the first execution). */
  next(address: number, store: Store | undefined, execution: number): readonly Store[] {
    const found: Store[] = [];
    for (let at = store?.execution ?? 0; at < execution; at++) {
      const log = this.#bytes[at]?.get(address) ?? [];
      const from = at === store?.execution ? log.indexOf(store) + 1 : 0;
      assert(at !== store?.execution || from > 0, "a load reads from a store to its byte");
      found.push(...firstOfEach(log, from));
    }
    return found;
  }
}

/**
 * Of each thread the one that it issued first. Non-temporal stores may become visible in another order than that in which they
 * were issued, so the first to be visible is not always it.
 */
function firstOfEach<Store extends ClockedStore>(log: readonly Store[], from: number): Iterable<Store> {
  const first = new Map<number, Store>();
  for (let at = from; at < log.length; at++) {
    const store = log[at]!;
    const known = first.get(store.thread);
    if (known === undefined || store.clock < known.clock) first.set(store.thread, store);
  }
  return first.values();
}
