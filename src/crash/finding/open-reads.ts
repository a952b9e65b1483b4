/** Why loads of a recovery could read several stores, as plain data. */
import type { PlacedMark, StoreFact } from "./crash.ts";
import type { LineHistory } from "./history.ts";

/**
 * Why a store may or may not survive: sure to; its line was never flushed, or before it and not after it; flushed but
 * not fenced, or fenced by other threads only; or the flush behind it was of another line that had nothing to persist.
 */
export type WhyOpen =
  | "persisted"
  | "never-flushed"
  | "flushed-before"
  | "not-fenced"
  | "fenced-elsewhere"
  | "other-line";

export interface CandidateFact {
  /** None for what was there before the program ran. */
  readonly store?: StoreFact;
  readonly why: WhyOpen;
  /** The flush that did not do. */
  readonly flush?: PlacedMark;
  /** Recovery saw it. */
  readonly seen?: true;
}

export interface ReadFact {
  readonly load?: PlacedMark;
  readonly path: string;
  readonly offset: number;
  /** What it saw. */
  readonly bytes: Uint8Array;
  /** Oldest first. */
  readonly candidates: readonly CandidateFact[];
  /** The line was cut short, and it could have seen a newer store: with the line kept, the failure is gone. */
  readonly fatal?: true;
}

export interface OpenReads {
  readonly reads: readonly ReadFact[];
  /** Loads that are not told. */
  readonly omitted: number;
  readonly timeline: LineHistory;
}
