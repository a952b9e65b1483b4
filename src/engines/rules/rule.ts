/**
 * What a rule is: its row, and what it does at the moments the tracker points out. Always:
 * - A rule sees moments, not events: the tracker has already worked out what is clean, dirty, pending or persisted.
 * - It reports by place. Its words are only made for the first occurrence.
 */
import type { Evidence, Mark, RuleInfo } from "../../finding/index.ts";
import type { Platform } from "../../pmem/index.ts";
import type { Moment } from "./moment.ts";

/** dax: flushes and fences persist. msync: an ordinary file, where only msync does. */
export type PmMode = "dax" | "msync";

/** Why a flush did nothing: see the rules of these names. */
export type IdleFlush = "clean" | "twice" | "non-temporal" | "outside";
/** How far a lost store had come. */
export type Loss = "dirty" | "pending" | "non-temporal";

export interface Words {
  readonly says: string;
  readonly cause: Mark;
  readonly evidence?: readonly Evidence[];
}

/** Counts an occurrence at a place; `words` is only called for the first. */
export type Report = (site: number, stack: number, words: (moment: Moment) => Words) => void;

/** The moments. The entry's slot is meant where a moment speaks of a store. */
export interface Moments {
  /** A flush that wrote nothing back. For `twice` and `non-temporal` the entry is the line's. */
  idleFlush?(moment: Moment, why: IdleFlush, report: Report): void;
  /** A flush that wrote back stores of several sites. */
  sharedFlush?(moment: Moment, report: Report): void;
  /** A fence of a thread that had flushed nothing. */
  idleFence?(moment: Moment, report: Report): void;
  /** A fence that completed several flushes at once: `moment.pendingFlush` tells of two. */
  sharedFence?(moment: Moment, report: Report): void;
  /** A store over an earlier one with another value, not yet persisted; `ordered`: a fence has passed in between. */
  overwrite?(moment: Moment, ordered: boolean, report: Report): void;
  /** A store that is not persisted when its memory goes away. */
  loss?(moment: Moment, how: Loss, flushedElsewhere: boolean, report: Report): void;
  /** A store in a transaction that did not add its range. */
  unaddedStore?(moment: Moment, report: Report): void;
  /** A store outside any transaction, to an object of transactions, while another such store is not persisted. */
  looseStore?(moment: Moment, other: Mark, object: Mark, report: Report): void;
  /** A range added to a transaction that has some of it already. */
  repeatedAdd?(moment: Moment, earlier: Mark, report: Report): void;
}

export interface Rule extends RuleInfo {
  readonly platforms: readonly Platform[];
  readonly modes: readonly PmMode[];
  readonly on: Moments;
  /** What it says of an ordinary file, where flushes mean nothing. */
  readonly ofFiles?: Pick<Rule, "title" | "sentence" | "advice" | "on">;
}
