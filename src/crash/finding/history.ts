/**
 * What happened to the lines that a finding is about, what recovery read, and how recoveries part, as plain data. It takes
 * work that only pages and JSON need: findings have it where somebody asked for it.
 */
import type { Verdict } from "../states/index.ts";
import type { PlacedMark } from "./crash.ts";

/** A line of a persistent file; `index` counts lines. */
export interface HistoryLine {
  readonly path: string;
  readonly index: number;
}

/** What the crash that shows the finding makes of a store. */
export type StoreFate = "durable" | "kept" | "lost";

export interface HistoryStore extends PlacedMark {
  readonly kind: "store";
  /** Position among the history's lines. */
  readonly line: number;
  /** Within the line. */
  readonly offset: number;
  readonly size: number;
  readonly value: bigint;
  readonly name?: string;
  /** Where that is one whole number, by its type. */
  readonly number?: "signed" | "unsigned";
  readonly nonTemporal: boolean;
  /** Of stores before the power cut, where there is one. */
  readonly fate?: StoreFate;
}
export interface HistoryFlush extends PlacedMark {
  readonly kind: "flush";
  readonly op: "clflush" | "clflushopt" | "clwb" | "msync";
  readonly line: number;
}
export interface HistoryFence extends PlacedMark {
  readonly kind: "fence";
  readonly op: "sfence" | "mfence" | "locked";
}
/** By event `seq` the line's stores up to event `through` are sure to survive. */
export interface HistoryDurable {
  readonly kind: "durable";
  readonly seq: number;
  readonly line: number;
  readonly through: number;
}
export type HistoryEvent = HistoryStore | HistoryFlush | HistoryFence | HistoryDurable;

export interface LineHistory {
  readonly lines: readonly HistoryLine[];
  /** In the order of the trace. */
  readonly events: readonly HistoryEvent[];
  /** The power is cut before this event. */
  readonly cut?: number;
  /** Events of these lines that are left out, for being older than those that are told. */
  readonly omitted: number;
}

/** Bytes that recovery read for the first time; the mark counts in recovery's own trace. */
export interface ReadFact extends PlacedMark {
  readonly path: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** What was stored there, by its names. */
  readonly names: readonly string[];
  /** Where that is one whole number, by its type. */
  readonly number?: "signed" | "unsigned";
  /** The newest event of a store that it saw, and of one that the crash lost. */
  readonly store?: number;
  readonly lost?: number;
  /** With what was lost in place of these bytes, and of all others that are marked so, recovery does not fail. */
  readonly fatal?: true;
}

export interface ReadFacts {
  readonly reads: readonly ReadFact[];
  /** More reads, of lines that the crash could leave in one way only. */
  readonly others: number;
}

/** Recoveries that part at a read: each answer that the crash could leave, and where it leads. */
export interface RecoveryWays {
  /** What leads here; none at the beginning. */
  readonly read?: {
    readonly path: string;
    readonly offset: number;
    readonly bytes: Uint8Array;
    readonly name?: string;
  };
  /** How it ends, where recoveries do not part any further. */
  readonly verdict?: Verdict;
  readonly fails?: boolean;
  /** Crash states that go this way; no more than can be counted exactly. */
  readonly states: number;
  readonly ways: readonly RecoveryWays[];
}

/** All of it. */
export interface FindingHistory {
  readonly timeline?: LineHistory;
  readonly reads?: ReadFacts;
  readonly tree?: RecoveryWays;
}
