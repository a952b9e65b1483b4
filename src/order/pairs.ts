/**
 * The pairs of stores that ways of recovery show to be unordered, each pair of places once. Always: what is kept of a pair does
 * not depend on the order in which ways are judged.
 */
import { type PmStore, storedValue } from "../pmem/index.ts";
import type { TracePoints } from "../tree/index.ts";
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

const placeOf = ({ site, stack }: PmStore): string => `${site}/${stack}`;
const keyOf = ({ missing, kept }: OrderViolation): string => `${placeOf(missing.store)} ${placeOf(kept.store)}`;

/** It stored what was there before. */
const isSilent = ({ stale, missing }: Pick<FoundPair, "stale" | "missing">): boolean =>
  stale === storedValue(missing.store);

/** Stores that changed something, the earliest of them, then the earliest crash. */
const order = (a: FoundPair, b: FoundPair): number =>
  Number(isSilent(a)) - Number(isSilent(b)) ||
  a.missing.store.seq - b.missing.store.seq ||
  a.kept.store.seq - b.kept.store.seq ||
  a.point - b.point ||
  (a.stale < b.stale ? -1 : a.stale > b.stale ? 1 : 0) ||
  a.reading.localeCompare(b.reading);

export class OrderPairs {
  readonly #pairs = new Map<string, FoundPair>();
  #hasError = false;

  get count(): number {
    return this.#pairs.size;
  }
  get hasError(): boolean {
    return this.#hasError;
  }

  /** Whether it would make a difference that no strict crash leaves what a way read. */
  wants(violations: readonly OrderViolation[]): boolean {
    return violations.some((violation) => this.#pairs.get(keyOf(violation))?.isError !== true);
  }

  add(violations: readonly OrderViolation[], point: number, isError: boolean, points: TracePoints): void {
    const shown = new Set<string>();
    const pairs = violations.map((violation) => pairOf(violation, point, points));
    // A store that changed nothing is not what strict persistency lacks, while another one is.
    const allSilent = pairs.every(isSilent);
    for (const pair of pairs) {
      const key = keyOf(pair);
      const found = { ...pair, isError: isError && (allSilent || !isSilent(pair)) };
      this.#hasError ||= found.isError;
      const known = this.#pairs.get(key);
      const best = known === undefined || order(found, known) < 0 ? found : known;
      const count = (known?.count ?? 0) + (shown.has(key) ? 0 : 1);
      this.#pairs.set(key, { ...best, isError: found.isError || known?.isError === true, count });
      shown.add(key);
    }
  }

  all(): readonly FoundPair[] {
    return [...this.#pairs.values()].sort(order);
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
