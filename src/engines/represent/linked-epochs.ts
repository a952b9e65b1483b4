/**
 * Objects that refer to each other and are changed at the same time (beyond Squint, which sees no order between objects that no
 * type encloses): a store whose value refers to an object joins that object's open epoch to its own, and one that begins
 * while the reference's own epoch is open. Several threads that change one object, or objects that are linked, are joined
 * where one of them has seen what another stored. Always: only epochs with stores that are not durable are joined, so that what a
 * crash cannot part stays apart; and of two threads only if one knows of the other's store.
 */
import type { Behaviour } from "./behaviours.ts";
import type { PlaceNumber } from "./part-table.ts";

export interface Epoch {
  readonly object: number;
  readonly thread: number;
  readonly stores: number[];
  readonly fields: number[];
  readonly seen: Set<number>;
  /** How many of its object's stores, also of earlier epochs, are not durable; those aside that are late. */
  open: number;
  /** Its own stores that are durable late or never. */
  late: number;
  /** How many of its stores, from the first on, are known to be durable. */
  settled: number;
  /** The thread's first store that is issued after one of this epoch became durable; undefined while none is. */
  quietFrom: number | undefined;
  /** The epoch's own stores from that one on that are durable. */
  ownSince: number;
  joined?: Joined;
}

/** Whether a crash may lose stores of it. */
export const isOpen = ({ open, late }: Epoch): boolean => open > 0 || late > 0;

interface Joined {
  readonly epochs: Epoch[];
  /** How many of them are not over. */
  left: number;
}

/** Whether an epoch has stores that are not durable and that the thread which stores now has made or seen. */
export type IsKnown = (epoch: Epoch) => boolean;

/** Epochs that refer to a place are looked through for such as are over whenever the places are twice as many, and at least so many. */
const fewestSwept = 4096;

export class LinkedEpochs {
  readonly #isCurrent: (epoch: Epoch) => boolean;
  /** By place that is referred to: epochs with such a reference in them. */
  readonly #referring = new Map<PlaceNumber, Epoch[]>();
  #sweepAt = fewestSwept;

  constructor(isCurrent: (epoch: Epoch) => boolean) {
    this.#isCurrent = isCurrent;
  }

  /** A store of `from` refers to what begins at a place, where these are open. */
  link(from: Epoch, place: PlaceNumber, targets: readonly Epoch[]): void {
    for (const target of targets) join(from, target);
    const referring = this.#referring.get(place);
    if (referring === undefined) this.#referring.set(place, [from]);
    else if (referring.at(-1) !== from) referring.push(from);
    if (this.#referring.size > this.#sweepAt) this.#sweep();
  }

  /** Any number may be an offset: most places that are referred to are none, and nothing is ever stored to them. */
  #sweep(): void {
    for (const [place, referring] of this.#referring) {
      const current = referring.filter(this.#isCurrent);
      if (current.length === 0) this.#referring.delete(place);
      else if (current.length < referring.length) this.#referring.set(place, current);
    }
    this.#sweepAt = Math.max(fewestSwept, 2 * this.#referring.size);
  }

  /** Something was stored to an object that begins at a place. */
  stored(epoch: Epoch, begins: PlaceNumber, isKnown: IsKnown): void {
    const referring = this.#referring.get(begins);
    if (referring === undefined) return;
    const open = referring.filter((each) => isOpen(each) && this.#isCurrent(each));
    for (const each of open) if (isKnown(each)) join(each, epoch);
    if (open.length === 0) this.#referring.delete(begins);
    else if (open.length < referring.length) this.#referring.set(begins, open);
  }

  /** Several threads store to one object. */
  meet(epoch: Epoch, others: readonly Epoch[]): void {
    for (const other of others) join(epoch, other);
  }

  /** An epoch is over: the behaviour that ends with it, unless it goes on in a linked one. */
  ended(epoch: Epoch): Behaviour | undefined {
    const { joined } = epoch;
    if (joined === undefined) return { objects: [epoch.object], stores: epoch.stores, fields: epoch.fields };
    joined.left--;
    return joined.left === 0 ? united(joined.epochs) : undefined;
  }
}

function join(a: Epoch, b: Epoch): void {
  if (a === b || (a.joined !== undefined && a.joined === b.joined)) return;
  const [from, to] = [a.joined ?? alone(a), b.joined ?? alone(b)];
  const [smaller, larger] = from.epochs.length < to.epochs.length ? [from, to] : [to, from];
  for (const epoch of smaller.epochs) epoch.joined = larger;
  larger.epochs.push(...smaller.epochs);
  larger.left += smaller.left;
}

function alone(epoch: Epoch): Joined {
  epoch.joined = { epochs: [epoch], left: 1 };
  return epoch.joined;
}

/** Each store once, in their order. */
function united(epochs: readonly Epoch[]): Behaviour {
  const fields = new Map<number, number>();
  const ordered = epochs.toSorted((a, b) => a.stores[0]! - b.stores[0]! || a.object - b.object);
  for (const epoch of ordered)
    for (const [index, store] of epoch.stores.entries())
      if (!fields.has(store)) fields.set(store, epoch.fields[index]!);
  const stores = [...fields.keys()].sort((a, b) => a - b);
  return {
    objects: [...new Set(ordered.map(({ object }) => object))],
    stores,
    fields: stores.map((store) => fields.get(store)!),
  };
}
