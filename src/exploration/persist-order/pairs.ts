/**
 * The pairs of stores that ways of recovery show to be unordered, each pair of places once. Always: what is kept of a pair does
 * not depend on the order in which ways are judged.
 */

import type { TracePoints } from "../../crash/recovery-tree/index.ts";
import { type PmStore, storedValue } from "../../model/pmem/index.ts";
import type { OrderViolation } from "./violations.ts";

export interface FoundPair extends OrderViolation {
  readonly point: number;
  /** What recovery read in place of the missing store's value. */
  readonly stale: bigint;
  /** A way shows it whose values no crash under strict persistency leaves. */
  readonly isError: boolean;
  /** Ways, at points, that show it. */
  readonly count: number;
}

/** Places in the code by number. */
class Places {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<PmStore, number>();

  of(store: PmStore): number {
    const known = this.#known.get(store);
    if (known !== undefined) return known;
    const text = `${store.site}/${store.stack}`;
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(store, number);
    return number;
  }
}

const mostPlaces = 2 ** 26;

/** It stored what was there before. */
const isSilent = ({ stale, missing }: Pick<FoundPair, "stale" | "missing">): boolean =>
  stale === storedValue(missing.store);

const ascending = <T extends string | bigint | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** Stores that changed something, the earliest of them, then the earliest crash. */
const order = (a: FoundPair, b: FoundPair): number =>
  Number(isSilent(a)) - Number(isSilent(b)) ||
  a.missing.store.seq - b.missing.store.seq ||
  a.kept.store.seq - b.kept.store.seq ||
  a.point - b.point ||
  ascending(a.stale, b.stale) ||
  ascending(a.reading, b.reading);

/** Whether it would be told rather than one that is known and changed something: it comes before it. */
function mayBeBetter({ missing, kept }: OrderViolation, point: number, known: FoundPair): boolean {
  const [a, b] = [missing.store.seq, known.missing.store.seq];
  if (a !== b) return a < b;
  const [c, d] = [kept.store.seq, known.kept.store.seq];
  return c !== d ? c < d : point <= known.point;
}

/** What is counted of a pair that is known, without another look at it. */
export interface KnownPair {
  found: FoundPair;
  isSilent: boolean;
  count: number;
}

export class OrderPairs {
  readonly #pairs = new Map<number, KnownPair>();
  readonly #places = new Places();
  #hasError = false;

  #keyOf({ missing, kept }: OrderViolation): number {
    return this.#places.of(missing.store) * mostPlaces + this.#places.of(kept.store);
  }

  get count(): number {
    return this.#pairs.size;
  }
  get hasError(): boolean {
    return this.#hasError;
  }

  /**
   * `isStrict`: whether a strict crash leaves what the way read, too; asked where it makes a difference. Gives the pairs that it counted: the
   * same once more at that point adds to their counts, and to nothing else.
   */
  add(
    violations: readonly OrderViolation[],
    point: number,
    isStrict: () => boolean,
    points: TracePoints,
  ): readonly KnownPair[] {
    const keys = violations.map((violation) => this.#keyOf(violation));
    const isError = keys.some((key) => this.#pairs.get(key)?.found.isError !== true) && !isStrict();
    // A store that changed nothing is not what strict persistency lacks, while another one is.
    const allSilent = isError && violations.every((violation) => isSilent(pairOf(violation, point, points)));
    for (const [at, violation] of violations.entries()) {
      const key = keys[at]!;
      const known = this.#pairs.get(key);
      const says = isError && known?.found.isError !== true;
      if (known !== undefined && !says && !known.isSilent && !mayBeBetter(violation, point, known.found)) continue;
      const pair = pairOf(violation, point, points);
      this.#take(key, { ...pair, isError: isError && (allSilent || !isSilent(pair)) }, known);
    }
    const counted = Array.from(new Set(keys), (key) => this.#pairs.get(key)!);
    for (const pair of counted) pair.count++;
    return counted;
  }

  #take(key: number, found: FoundPair, known: KnownPair | undefined): void {
    this.#hasError ||= found.isError;
    const pair = known ?? { found, isSilent: false, count: 0 };
    const best = order(found, pair.found) < 0 ? found : pair.found;
    pair.found = { ...best, isError: found.isError || pair.found.isError };
    pair.isSilent = isSilent(pair.found);
    this.#pairs.set(key, pair);
  }

  all(): readonly FoundPair[] {
    return [...this.#pairs.values()].map(({ found, count }) => ({ ...found, count })).sort(order);
  }
}

/** One violation as a pair. */
export const pairOf = (violation: OrderViolation, point: number, points: TracePoints): FoundPair => ({
  ...violation,
  point,
  stale: valueAt(points.bytes(violation.missingContent), violation.missing.store),
  isError: true,
  count: 1,
});

const valueAt = (bytes: Uint8Array, { offset, size }: PmStore): bigint =>
  bytes.subarray(offset, offset + size).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
