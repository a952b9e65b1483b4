/**
 * Update behaviours: the stores to one object that belong together in time (Squint, steps C1 to C3). A store belongs to every
 * object around it; each object's stores are split into epochs. Always:
 * - Stores come in the order in which they were issued, and what becomes durable is told before the next store is.
 * - Rule 1 begins an epoch where all of the object's earlier stores are durable and a field of this epoch is stored again.
 * - Rule 2 begins one where, since a store of this epoch became durable, a store outside the object was issued and became
 *   durable itself. Any pair of the epoch's stores will do, neighbours or not.
 */
import { DurableCount } from "./durable-count.ts";
import { StoreOrder } from "./order.ts";

/** One of the objects that a store belongs to. */
export interface Part {
  /** An object of a type: whoever gives the numbers tells types and addresses apart. */
  readonly object: number;
  /** A field of a type, with its indices erased: the same for all objects of that type. */
  readonly field: number;
}

export interface Behaviour {
  readonly object: number;
  readonly stores: readonly number[];
  /** Of each store, the field it was to. */
  readonly fields: readonly number[];
}

interface Epoch {
  readonly object: number;
  readonly stores: number[];
  readonly fields: number[];
  readonly seen: Set<number>;
  /** How many of its object's stores, also of earlier epochs, are not durable. */
  open: number;
  /** The first store that is issued after one of this epoch became durable; undefined while none is. */
  quietFrom: number | undefined;
  /** The epoch's own stores from that one on that are durable. */
  ownSince: number;
}

export class Behaviours {
  readonly order = new StoreOrder();
  readonly #durable = new DurableCount();
  readonly #epochs = new Map<number, Epoch>();
  readonly #ended: Behaviour[] = [];
  /** Stores that are not durable yet, with the objects they are of. */
  readonly #waiting = new Map<number, readonly Epoch[]>();

  store(position: number, line: number, parts: readonly Part[]): number {
    const store = this.order.issue(position, line);
    const epochs = parts.map(({ object, field }) => {
      const epoch = this.#epochFor(object, field);
      epoch.stores.push(store);
      epoch.fields.push(field);
      epoch.seen.add(field);
      epoch.open++;
      return epoch;
    });
    this.#waiting.set(store, epochs);
    return store;
  }

  durable(stores: Iterable<number>, position: number): void {
    for (const store of stores) {
      this.order.makeDurable(store, position);
      this.#durable.add(store);
      for (const epoch of this.#waiting.get(store) ?? []) this.#settle(epoch, store);
      this.#waiting.delete(store);
    }
  }

  /** In the order in which they began. */
  end(): readonly Behaviour[] {
    return [...this.#ended, ...this.#epochs.values()].sort((a, b) => a.stores[0]! - b.stores[0]!);
  }

  #settle(epoch: Epoch, store: number): void {
    const current = this.#epochs.get(epoch.object)!;
    current.open--;
    if (current !== epoch) return;
    if (epoch.quietFrom === undefined) epoch.quietFrom = this.order.count;
    else if (store >= epoch.quietFrom) epoch.ownSince++;
  }

  #epochFor(object: number, field: number): Epoch {
    const current = this.#epochs.get(object);
    if (current !== undefined && !this.#isOver(current, field)) return current;
    if (current !== undefined) this.#ended.push(current);
    const open = current?.open ?? 0;
    const seen = new Set<number>();
    const epoch: Epoch = { object, stores: [], fields: [], seen, open, quietFrom: undefined, ownSince: 0 };
    this.#epochs.set(object, epoch);
    return epoch;
  }

  #isOver(epoch: Epoch, field: number): boolean {
    if (epoch.open === 0 && epoch.seen.has(field)) return true;
    return epoch.quietFrom !== undefined && this.#durable.from(epoch.quietFrom) > epoch.ownSince;
  }
}
