/**
 * Regions with computed gotos (machine/jit/computed-gotos.ts): one function that is entered at each of an interpreter's
 * instructions. It is kept under the entry that it was first compiled from, its home, and compiled anew as more of them
 * become hot.
 */

/** Compiled anew when hot places outside are this part of those inside. */
const extendAt = 4;

interface Loop {
  readonly entries: ReadonlySet<number>;
  readonly blocks: ReadonlySet<number>;
  /** Hot places that belong to it and that it does not cover. */
  readonly missed: Set<number>;
}

export class GotoLoops {
  readonly #loops = new Map<number, Loop>();
  readonly #homes = new Map<number, number>();

  get isEmpty(): boolean {
    return this.#loops.size === 0;
  }

  /** The entry that the region at an address is compiled from. */
  homeOf(entry: number): number {
    return this.#homes.get(entry) ?? entry;
  }

  /** All places to enter a region by when it is compiled anew. */
  entriesOf(home: number): readonly number[] {
    const loop = this.#loops.get(home);
    return loop === undefined ? [] : [...loop.entries, ...loop.missed];
  }

  /** Where jumps of blocks lead that no interpreter has run here. */
  targetsWithin(block: number): readonly number[] {
    for (const { blocks, entries } of this.#loops.values()) if (blocks.has(block)) return [...entries];
    return [];
  }

  /** Whether a hot place waits for its loop to be compiled anew, and has a region for itself until then. */
  isMissed(address: number): boolean {
    for (const { missed } of this.#loops.values()) if (missed.has(address)) return true;
    return false;
  }

  /** A hot place whose jumps lead to `targets`: the home of the loop that is to be compiled anew for it, if so. */
  miss(address: number, targets: readonly number[]): number | undefined {
    for (const [home, { entries, missed }] of this.#loops) {
      if (entries.has(address) || !targets.some((target) => entries.has(target))) continue;
      missed.add(address);
      return missed.size * extendAt >= entries.size ? home : undefined;
    }
    return undefined;
  }

  note(home: number, entries: readonly number[], blocks: Iterable<number>): void {
    this.#loops.set(home, { entries: new Set(entries), blocks: new Set(blocks), missed: new Set() });
    for (const entry of entries) this.#homes.set(entry, home);
  }

  /** The region is gone; where it was entered. */
  forget(home: number): readonly number[] {
    const entries = [...(this.#loops.get(home)?.entries ?? [])];
    this.#loops.delete(home);
    for (const entry of entries) this.#homes.delete(entry);
    return entries;
  }

  clear(): void {
    this.#loops.clear();
    this.#homes.clear();
  }
}
