/**
 * What an analysis says: one problem, where its cause lies, and what shows it. Plain data all through. Always:
 * - A finding stands for all occurrences of one rule at one site under one calling context; `count` says how many.
 * - Its words need nothing but itself: frames are resolved before it is rendered.
 */
import type { Frame } from "../../trace/events/index.ts";
import type { CrashFacts } from "./crash.ts";
import type { FindingHistory } from "./history.ts";
import type { OrderFacts } from "./order.ts";

export const severities = ["error", "performance", "warning"] as const;
export type Severity = (typeof severities)[number];

/** What a rule is, apart from how it works. */
export interface RuleInfo {
  /** Stable, as written in suppressions and reports: `missing-flush`. */
  readonly id: string;
  readonly severity: Severity;
  /** A few words: "store never flushed". */
  readonly title: string;
  /** What the rule finds and why that is wrong, in one sentence. */
  readonly sentence: string;
  /** What to do about it, in one sentence. */
  readonly advice: string;
}

/** One event, as a finding remembers it. */
export interface Mark {
  readonly seq: number;
  readonly thread: number;
  readonly site: number;
  readonly stack: number;
  readonly address?: number;
  readonly size?: number;
  readonly value?: bigint;
}

/** What the load of a word says that recovery makes, though nobody flushed the word. */
export const loadedByRecovery = "recovery loads it here";

export interface Evidence {
  /** What this event did, in a few words: "flushed here". */
  readonly says: string;
  readonly mark: Mark;
}

/** A finding before anybody looked up where its sites are. */
export interface Draft {
  readonly rule: RuleInfo;
  readonly says: string;
  readonly cause: Mark;
  readonly evidence: readonly Evidence[];
  readonly count: number;
}

export interface ShownEvidence extends Evidence {
  readonly frames: readonly Frame[];
}

export type RepairFacts =
  /** A unified diff of the source; empty where the insertions have no place in it. */
  | { readonly diff: string }
  /** A diff that nobody has tried: what it adds is a call of the program's, which only a program built with it makes. */
  | { readonly proposed: string }
  /** So many instructions were not enough to try them. */
  | { readonly bound: number };

export interface Finding {
  readonly rule: RuleInfo;
  /** What happened here, with addresses and values; empty where `crash` tells. */
  readonly says: string;
  readonly cause: Mark;
  /** The calls that led to the cause, innermost first. */
  readonly frames: readonly Frame[];
  readonly evidence: readonly ShownEvidence[];
  readonly count: number;
  readonly crash?: CrashFacts;
  readonly order?: OrderFacts;
  /** Insertions cure it: the same analysis found neither it nor anything new with them in place. Or nobody knows. */
  readonly repair?: RepairFacts;
  /** Where somebody asked for it. */
  readonly history?: FindingHistory;
  /** The same for the same problem in another run, another directory or after unrelated changes. */
  readonly fingerprint: string;
  /** Those of problems that were found to be this one. */
  readonly also?: readonly string[];
}

export const hex = (number: number | bigint): string => `0x${number.toString(16)}`;

/** "8 bytes at 0x100040 (value 0x2a)". */
export function describeStore({ address = 0, size = 0, value }: Mark): string {
  const bytes = size === 1 ? "1 byte" : `${size} bytes`;
  return `${bytes} at ${hex(address)}${value === undefined ? "" : ` (value ${hex(value)})`}`;
}
