/**
 * Copy-on-write tables of plain data: what makes a snapshot cost nothing and a restore cost nothing. Always:
 * - A record whose `epoch` is older than the present epoch is frozen: some snapshot may hold it. `edit` copies it first.
 * - Epochs only grow, also across restores, so no two futures of one snapshot ever share a writable record. No two trees
 *   have an epoch in common, so that one may hold tables of another: to it they are frozen.
 * The tables are radix trees with 32 slots a level (transients after Clojure's persistent vectors).
 */
import { assert } from "../../base/index.ts";

export interface Versioned {
  epoch: number;
}

const BITS = 5;
const WIDTH = 1 << BITS;
const MASK = WIDTH - 1;

interface Branch extends Versioned {
  slots: (Branch | Versioned | undefined)[];
}

/** A map from small whole numbers (below 2^32) to records. */
export interface Table<T extends Versioned> extends Versioned {
  /** Levels below the root; the table spans keys below 32^(height+1). */
  height: number;
  root: Branch;
  size: number;
  readonly phantom?: T;
}

/** Of all trees in this thread. */
let newestEpoch = 0;

/** Hands out writable copies. One per file tree, outside the snapshotted state. */
export class Versions {
  #epoch = ++newestEpoch;

  /** From here on everything that exists is frozen. */
  advance(): void {
    this.#epoch = ++newestEpoch;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** The record itself when it is writable, else a shallow copy. */
  own<T extends Versioned>(record: T): T {
    return record.epoch === this.#epoch ? record : { ...record, epoch: this.#epoch };
  }

  table<T extends Versioned>(): Table<T> {
    return { epoch: this.#epoch, height: 0, root: this.#branch(), size: 0 };
  }

  /** Puts a record of the present epoch under a key. The table must be writable. */
  set<T extends Versioned>(table: Table<T>, key: number, record: T): void {
    assert(table.epoch === this.#epoch, "a table is owned before it is changed");
    while (key >= spanOf(table)) {
      const root = this.#branch();
      root.slots[0] = table.root;
      table.root = root;
      table.height++;
    }
    const leaf = this.#path(table, key);
    if (leaf.slots[key & MASK] === undefined) table.size++;
    leaf.slots[key & MASK] = record;
  }

  delete<T extends Versioned>(table: Table<T>, key: number): void {
    assert(table.epoch === this.#epoch, "a table is owned before it is changed");
    if (get(table, key) === undefined) return;
    this.#path(table, key).slots[key & MASK] = undefined;
    table.size--;
  }

  /** The record under a key, writable; `clone` copies what a spread does not. */
  edit<T extends Versioned>(table: Table<T>, key: number, clone?: (record: T) => T): T {
    const record = get(table, key);
    assert(record !== undefined, "only a record that exists is edited");
    if (record.epoch === this.#epoch) return record;
    const copy = clone ? { ...clone(record), epoch: this.#epoch } : { ...record, epoch: this.#epoch };
    this.set(table, key, copy);
    return copy;
  }

  #branch(): Branch {
    return { epoch: this.#epoch, slots: new Array(WIDTH).fill(undefined) };
  }

  #ownBranch(branch: Branch): Branch {
    return branch.epoch === this.#epoch ? branch : { epoch: this.#epoch, slots: branch.slots.slice() };
  }

  /** The writable leaf of a key, made on the way. */
  #path(table: Table<Versioned>, key: number): Branch {
    let branch = this.#ownBranch(table.root);
    table.root = branch;
    for (let level = table.height; level > 0; level--) {
      const slot = slotOf(key, level);
      const below = branch.slots[slot] as Branch | undefined;
      const owned = below === undefined ? this.#branch() : this.#ownBranch(below);
      branch.slots[slot] = owned;
      branch = owned;
    }
    return branch;
  }
}

/** Keys a table of each height spans; six levels reach beyond 2^32. */
const SPANS = [1, 2, 3, 4, 5, 6, 7].map((levels) => WIDTH ** levels);
const spanOf = (table: Table<Versioned>): number => SPANS[table.height] as number;
const slotOf = (key: number, level: number): number => (key >>> (BITS * level)) & MASK;

export function get<T extends Versioned>(table: Table<T>, key: number): T | undefined {
  if (key >= spanOf(table)) return undefined;
  let branch: Branch | undefined = table.root;
  for (let level = table.height; level > 0 && branch !== undefined; level--)
    branch = branch.slots[slotOf(key, level)] as Branch | undefined;
  return branch?.slots[key & MASK] as T | undefined;
}

/** The smallest key not below `from` that holds a record. */
export function nextKey<T extends Versioned>(table: Table<T>, from: number): number | undefined {
  return from >= spanOf(table) ? undefined : nextBelow(table.root, table.height, from);
}

function nextBelow(branch: Branch, level: number, from: number): number | undefined {
  const step = WIDTH ** level;
  for (let slot = Math.floor(from / step); slot < WIDTH; slot++) {
    const child = branch.slots[slot];
    if (child === undefined) continue;
    if (level === 0) return slot;
    const found = nextBelow(child as Branch, level - 1, Math.max(0, from - slot * step));
    if (found !== undefined) return slot * step + found;
  }
  return undefined;
}

/** Keys whose records are not the same in both tables; what the two share costs nothing. */
export function differingKeys<T extends Versioned>(before: Table<T>, after: Table<T>): readonly number[] {
  if (before.height !== after.height) return [...new Set([...keysOf(before), ...keysOf(after)])];
  const keys: number[] = [];
  const compare = (left: Branch | undefined, right: Branch | undefined, level: number, first: number): void => {
    if (left === right) return;
    for (let slot = 0; slot < WIDTH; slot++) {
      const [below, beside] = [left?.slots[slot], right?.slots[slot]];
      const key = first + slot * WIDTH ** level;
      if (level > 0) compare(below as Branch | undefined, beside as Branch | undefined, level - 1, key);
      else if (below !== beside) keys.push(key);
    }
  };
  compare(before.root, after.root, before.height, 0);
  return keys;
}

export function* keysOf<T extends Versioned>(table: Table<T>): Generator<number> {
  for (let key = nextKey(table, 0); key !== undefined; key = nextKey(table, key + 1)) yield key;
}
