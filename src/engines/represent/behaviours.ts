/**
 * Update behaviours: the stores to one object that belong together in time (Squint, steps C1 to C3). A store belongs to every
 * object around it; each object's stores are split into epochs, for each thread by itself. Always:
 * - Stores come in the order in which they were issued, and what becomes durable is told before the next store is.
 * - Rule 1 begins an epoch where all of the object's earlier stores are durable and a field of this epoch is stored again.
 *   Stores that are durable late or never count as durable here: else one of them would make all that follows one epoch.
 * - Rule 2 begins one where, since a store of this epoch became durable, the thread issued a store outside the object, which
 *   became durable itself. Any pair of the epoch's stores will do, neighbours or not. What other threads do elsewhere says
 *   nothing of what this one is about.
 * - A behaviour is told once its epoch is over, and not kept: what a run needs follows the objects that are being changed.
 */
import { DurableCount } from "./durable-count.ts";
import { type Epoch, type IsKnown, isOpen, LinkedEpochs } from "./linked-epochs.ts";
import { StoreOrder } from "./order.ts";
import type { PlaceNumber } from "./part-table.ts";
import type { Precedence } from "./threads.ts";

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
  /** Only where it is known what threads have seen of each other. */
  readonly thread?: number;
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

/** The stores of one thread, numbered by themselves. */
interface ThreadStores {
  readonly thread: number;
  count: number;
  readonly durable: DurableCount;
}

/** A store that is not durable, with the objects it is of. */
interface WaitingStore {
  readonly epochs: readonly Epoch[];
  /** Its number among its thread's. */
  readonly own: number;
}

const mostObjects = 2 ** 32;
const epochKey = ({ object, thread }: Pick<Epoch, "object" | "thread">): number => thread * mostObjects + object;

/** Epochs are looked through for such as are over whenever there are twice as many, and at least so many. */
const fewestSwept = 4096;

export class Behaviours {
  readonly order: StoreOrder;
  readonly #precedence: Precedence | undefined;
  readonly #threads = new Map<number, ThreadStores>();
  readonly #epochs = new Map<number, Epoch>();
  readonly #links: LinkedEpochs;
  readonly #take: (behaviour: Behaviour) => void;
  readonly #waiting = new Map<number, WaitingStore>();
  readonly #late = new Set<number>();
  #sweepAt = fewestSwept;

  /** With a precedence, threads have behaviours of their own; without, all stores are taken as those of one. */
  constructor(take: (behaviour: Behaviour) => void, precedence?: Precedence) {
    this.order = new StoreOrder(precedence);
    this.#precedence = precedence;
    this.#take = take;
    this.#links = new LinkedEpochs((epoch) => this.#epochs.get(epochKey(epoch)) === epoch);
  }

  store({ position, line, statement, thread = 0, parts, link, isLate = false }: IssuedStore): number {
    const store = this.order.issue(position, line, statement, thread);
    const threadStores = this.#storesOf(thread);
    const own = threadStores.count++;
    if (isLate) this.#late.add(store);
    const isKnown: IsKnown = (epoch) => this.#isKnown(epoch, thread, position);
    const epochs = parts.map(({ object, field, begins }) => {
      const epoch = this.#epochFor(object, threadStores, field);
      epoch.stores.push(store);
      epoch.fields.push(field);
      epoch.seen.add(field);
      if (isLate) epoch.late++;
      else epoch.open++;
      if (begins !== undefined) this.#links.stored(epoch, begins, isKnown);
      if (this.#threads.size > 1) this.#links.meet(epoch, this.#openOf([object], isKnown));
      return epoch;
    });
    if (link !== undefined) this.#links.link(epochs[link.owner]!, link.target, this.#openOf(link.objects, isKnown));
    this.#waiting.set(store, { epochs, own });
    if (this.#epochs.size > this.#sweepAt) this.#sweep();
    return store;
  }

  /** `thread` is whose fence made them so. */
  durable(stores: Iterable<number>, position: number, thread = 0): void {
    for (const store of stores) {
      this.order.makeDurable(store, position, thread);
      const { epochs, own } = this.#waiting.get(store)!;
      const threadStores = this.#storesOf(this.order.threadOf(store));
      threadStores.durable.add(own);
      for (const epoch of epochs) this.#settle(epoch, store, own, threadStores);
      this.#waiting.delete(store);
    }
  }

  #storesOf(thread: number): ThreadStores {
    const known = this.#threads.get(thread);
    if (known !== undefined) return known;
    const stores = { thread, count: 0, durable: new DurableCount() };
    this.#threads.set(thread, stores);
    return stores;
  }

  /** Of each thread, the first of these objects' epochs that is open and known. */
  #openOf(objects: readonly number[], isKnown: IsKnown): readonly Epoch[] {
    const open: Epoch[] = [];
    for (const thread of this.#threads.keys())
      for (const object of objects) {
        const epoch = this.#epochs.get(epochKey({ object, thread }));
        if (epoch === undefined || !isKnown(epoch)) continue;
        open.push(epoch);
        break;
      }
    return open;
  }

  /** Whether it has stores that are not durable; of another thread, such as this one has seen when it comes to an event. */
  #isKnown(epoch: Epoch, thread: number, event: number): boolean {
    if (!isOpen(epoch)) return false;
    if (epoch.thread === thread) return true;
    while (epoch.settled < epoch.stores.length && this.order.isDurable(epoch.stores[epoch.settled]!)) epoch.settled++;
    const first = epoch.stores[epoch.settled];
    if (first === undefined) return false;
    return this.#precedence!({ thread: epoch.thread, event: this.order.issuedAt(first) }, { thread, event });
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

  #settle(epoch: Epoch, store: number, own: number, threadStores: ThreadStores): void {
    const current = this.#epochs.get(epochKey(epoch));
    // One that was swept away had nothing open.
    if (current === undefined) return;
    if (!this.#late.has(store)) current.open--;
    if (current !== epoch) return;
    if (epoch.quietFrom === undefined) epoch.quietFrom = threadStores.count;
    else if (own >= epoch.quietFrom) epoch.ownSince++;
  }

  #epochFor(object: number, { thread }: ThreadStores, field: number): Epoch {
    const key = epochKey({ object, thread });
    const current = this.#epochs.get(key);
    if (current !== undefined && !this.#isOver(current, field)) return current;
    if (current !== undefined) this.#finish(current);
    const epoch: Epoch = {
      object,
      thread,
      stores: [],
      fields: [],
      seen: new Set(),
      open: current?.open ?? 0,
      late: 0,
      settled: 0,
      quietFrom: undefined,
      ownSince: 0,
    };
    this.#epochs.set(key, epoch);
    return epoch;
  }

  #isOver(epoch: Epoch, field: number): boolean {
    return (epoch.open === 0 && epoch.seen.has(field)) || this.#isLeft(epoch);
  }

  /** Rule 2, which holds for good once it does. */
  #isLeft({ thread, quietFrom, ownSince }: Epoch): boolean {
    return quietFrom !== undefined && this.#storesOf(thread).durable.from(quietFrom) > ownSince;
  }

  #sweep(): void {
    for (const [key, epoch] of this.#epochs) {
      if (epoch.open > 0 || !this.#isLeft(epoch)) continue;
      this.#epochs.delete(key);
      this.#finish(epoch);
    }
    this.#sweepAt = Math.max(fewestSwept, 2 * this.#epochs.size);
  }
}
