/**
 * Snapshots of memory as a tree of versions around the live one (Baker's rerooting). Each version keeps only the pages
 * in which it differs from its neighbour towards live memory. Always:
 * - Exactly one version, `base`, points at live memory; every other reaches it through its neighbours.
 * - contents(version, page) = its own record, or else contents(neighbour, page).
 * So a store saves its page once per snapshot, and restoring costs the pages that differ on the way.
 */
import { assert } from "../../base/index.ts";

/** What a page was: permissions and kind, and its bytes (undefined: all zero). */
export interface PageRecord {
  readonly info: number;
  readonly bytes: Uint8Array | undefined;
}

/** A page as it was, and as it is. */
export interface PageChange {
  readonly before: Uint8Array;
  readonly now: Uint8Array;
}

export interface Version {
  readonly id: number;
  pages: Map<number, PageRecord>;
  /** Undefined: live memory. */
  toward: Version | undefined;
  /** Versions whose neighbour towards live memory this is. */
  readonly children: Set<Version>;
  released: boolean;
}

/** Live memory, as this module needs it. */
export interface LivePages {
  record(page: number): PageRecord;
  /** The record is given up. */
  restore(page: number, record: PageRecord): void;
  restoreAll(pages: ReadonlyMap<number, PageRecord>): void;
}

export class Versions {
  readonly #live: LivePages;
  #base: Version | undefined;
  #nextId = 1;

  constructor(live: LivePages) {
    this.#live = live;
  }

  get hasBase(): boolean {
    return this.#base !== undefined;
  }

  /** Called before a page changes in any way: keeps what it was for the newest snapshot. */
  save(page: number): void {
    const pages = this.#base?.pages;
    if (pages && !pages.has(page)) pages.set(page, this.#live.record(page));
  }

  /** Live memory as it is now. */
  take(): Version {
    const version: Version = {
      id: this.#nextId++,
      pages: new Map(),
      toward: undefined,
      children: new Set(),
      released: false,
    };
    const before = this.#base;
    assert(before?.toward === undefined, "memory: the newest snapshot points at live memory");
    if (before) lead(before, version);
    this.#base = version;
    if (before?.released) bridge(before);
    return version;
  }

  /** Makes live memory what it was at `target`. */
  restore(target: Version): void {
    assert(!target.released, "memory: a released snapshot is not restored");
    const path: Version[] = [];
    for (let at: Version | undefined = target; at; at = at.toward) path.push(at);
    let here = path.pop()!;
    assert(here === this.#base, "memory: every snapshot leads to live memory");
    this.#live.restoreAll(here.pages);
    here.pages.clear();
    for (let step = path.pop(); step; step = path.pop()) {
      this.#moveTo(step, here);
      here = step;
    }
    assert(target.toward === undefined, "memory: what was restored points at live memory");
    this.#base = target;
  }

  /** From live memory equal to `here` to live memory equal to `next`, its neighbour; the difference changes sides. */
  #moveTo(next: Version, here: Version): void {
    assert(next.toward === here, "memory: a step goes from a snapshot to its neighbour");
    const keep = !(here.released && here.children.size === 1);
    for (const [page, record] of next.pages) {
      if (keep) here.pages.set(page, this.#live.record(page));
      this.#live.restore(page, record);
    }
    next.pages = new Map();
    next.toward = undefined;
    here.children.delete(next);
    if (keep) lead(here, next);
  }

  /** Gives a snapshot up. Its pages go, or are handed to the one snapshot that needs them. */
  release(version: Version): void {
    version.released = true;
    for (let at: Version | undefined = version; at?.released && at !== this.#base; ) {
      const toward: Version | undefined = at.toward;
      if (!bridge(at)) return;
      at = toward;
    }
  }
}

function lead(from: Version, toward: Version): void {
  assert(from !== toward, "memory: no snapshot leads to itself");
  from.toward = toward;
  toward.children.add(from);
}

/** Takes a released version out of the tree, unless several others lead through it. */
function bridge(version: Version): boolean {
  const { children, toward } = version;
  if (children.size > 1 || toward === undefined) return false;
  toward.children.delete(version);
  for (const child of children) {
    assert(child.toward === version, "memory: a snapshot's children lead to it");
    for (const [page, record] of version.pages) if (!child.pages.has(page)) child.pages.set(page, record);
    lead(child, toward);
  }
  version.pages = new Map();
  children.clear();
  return true;
}
