/**
 * Update behaviours: the stores to one object that belong together in time (Squint, steps C1 to C3). A store belongs to every
 * object around it; each object's stores are split into epochs. Always:
 * - Stores come in the order in which they were issued, and what becomes durable is told before the next store is.
 * - Rule 1 begins an epoch where all of the object's earlier stores are durable and a field of this epoch is stored again.
 *   Stores that are durable late or never count as durable here: else one of them would make all that follows one epoch.
 * - Rule 2 begins one where, since a store of this epoch became durable, a store outside the object was issued and became
 *   durable itself. Any pair of the epoch's stores will do, neighbours or not.
 * - A behaviour is told once its epoch is over, and not kept: what a run needs follows the objects that are being changed.
 */
import { DurableCount } from "./durable-count.ts";
import { type Epoch, isOpen, LinkedEpochs } from "./linked-epochs.ts";
import { StoreOrder } from "./order.ts";
import type { PlaceNumber } from "./part-table.ts";

/** One of the objects that a store belongs to. */
export interface Part {
  /** An object of a type: whoever gives the numbers tells types and addresses apart. */
  readonly object: number;
  /** A field of a type, with its indices erased: the same for all objects of that type. */
  readonly field: number;
  /** Where the object begins, for stores that refer to it. */
  readonly begins?: PlaceNumber;
}

/** The store's value refers to what begins at a place. */
export interface Link {
  /** Which of the store's parts has the reference in it. */
  readonly owner: number;
  readonly target: PlaceNumber;
  /** The objects that begin there, as far as anything was stored to them. */
  readonly objects: readonly number[];
}

export interface IssuedStore {
  readonly position: number;
  /** The cache line that it is to. */
  readonly line: number;
  /** The number of the statement, with its callers, that made it. */
  readonly statement: number;
  readonly parts: readonly Part[];
  readonly link?: Link | undefined;
  /** It is durable long after, or never. */
  readonly isLate?: boolean;
}

export interface Behaviour {
  /** One, or several that were linked while they were changed. */
  readonly objects: readonly number[];
  readonly stores: readonly number[];
  /** Of each store, the field it was to. */
  readonly fields: readonly number[];
}

/** Epochs are looked through for such as are over whenever there are twice as many, and at least so many. */
const fewestSwept = 4096;

export class Behaviours {
  readonly order = new StoreOrder();
  readonly #durable = new DurableCount();
  readonly #epochs = new Map<number, Epoch>();
  readonly #links: LinkedEpochs;
  readonly #take: (behaviour: Behaviour) => void;
  /** Stores that are not durable yet, with the objects they are of. */
  readonly #waiting = new Map<number, readonly Epoch[]>();
  readonly #late = new Set<number>();
  #sweepAt = fewestSwept;

  constructor(take: (behaviour: Behaviour) => void) {
    this.#take = take;
    this.#links = new LinkedEpochs((epoch) => this.#epochs.get(epoch.object) === epoch);
  }

  store({ position, line, statement, parts, link, isLate = false }: IssuedStore): number {
    const store = this.order.issue(position, line, statement);
    if (isLate) this.#late.add(store);
    const epochs = parts.map(({ object, field, begins }) => {
      const epoch = this.#epochFor(object, field);
      epoch.stores.push(store);
      epoch.fields.push(field);
      epoch.seen.add(field);
      if (isLate) epoch.late++;
      else epoch.open++;
      if (begins !== undefined) this.#links.stored(epoch, begins);
      return epoch;
    });
    if (link !== undefined) {
      const target = link.objects.map((object) => this.#epochs.get(object)).find((epoch) => epoch && isOpen(epoch));
      this.#links.link(epochs[link.owner]!, link.target, target);
    }
    this.#waiting.set(store, epochs);
    if (this.#epochs.size > this.#sweepAt) this.#sweep();
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

  /** No store follows. */
  end(): void {
    for (const epoch of this.#epochs.values()) this.#finish(epoch);
    this.#epochs.clear();
  }

  #finish(epoch: Epoch): void {
    const behaviour = this.#links.ended(epoch);
    if (behaviour !== undefined) this.#take(behaviour);
  }

  #settle(epoch: Epoch, store: number): void {
    const current = this.#epochs.get(epoch.object);
    // One that was swept away had nothing open.
    if (current === undefined) return;
    if (!this.#late.has(store)) current.open--;
    if (current !== epoch) return;
    if (epoch.quietFrom === undefined) epoch.quietFrom = this.order.count;
    else if (store >= epoch.quietFrom) epoch.ownSince++;
  }

  #epochFor(object: number, field: number): Epoch {
    const current = this.#epochs.get(object);
    if (current !== undefined && !this.#isOver(current, field)) return current;
    if (current !== undefined) this.#finish(current);
    const open = current?.open ?? 0;
    const seen = new Set<number>();
    const epoch: Epoch = { object, stores: [], fields: [], seen, open, late: 0, quietFrom: undefined, ownSince: 0 };
    this.#epochs.set(object, epoch);
    return epoch;
  }

  #isOver(epoch: Epoch, field: number): boolean {
    return (epoch.open === 0 && epoch.seen.has(field)) || this.#isLeft(epoch);
  }

  /** Rule 2, which holds for good once it does. */
  #isLeft({ quietFrom, ownSince }: Epoch): boolean {
    return quietFrom !== undefined && this.#durable.from(quietFrom) > ownSince;
  }

  #sweep(): void {
    for (const [object, epoch] of this.#epochs) {
      if (epoch.open > 0 || !this.#isLeft(epoch)) continue;
      this.#epochs.delete(object);
      this.#finish(epoch);
    }
    this.#sweepAt = Math.max(fewestSwept, 2 * this.#epochs.size);
  }
}
