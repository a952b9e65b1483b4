/**
 * What a rule is: its row, and what it does in the situations that the tracker detects. Always:
 * - A rule sees situations, not events: the tracker has already worked out what is clean, dirty, pending or persisted.
 * - It reports by place. Its words are only made for the first occurrence.
 */
import type { Evidence, Mark, RuleInfo } from "../../crash/finding/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import type { EventView } from "./event-view.ts";

/** dax: flushes and fences persist. msync: an ordinary file, where only msync does. */
export type PmMode = "dax" | "msync";

/** Why a flush did nothing: see the rules of these names. */
export type IdleFlush = "clean" | "twice" | "non-temporal" | "outside";
/** How far a lost store had come; `lock`: dirty, and of a word that is taken and given back. */
export type Loss = "dirty" | "lock" | "pending" | "non-temporal";

export interface Words {
  readonly says: string;
  readonly cause: Mark;
  readonly evidence?: readonly Evidence[];
}

/** Counts an occurrence at a place; `words` is only called for the first. */
export type Report = (site: number, stack: number, words: (view: EventView) => Words) => void;

/** A handler for each situation a rule cares about. Where a store is meant, it is the one in the view's slot. */
export interface Situations {
  /** A flush that wrote nothing back. For `twice` and `non-temporal` the entry is the line's. */
  idleFlush?(view: EventView, why: IdleFlush, report: Report): void;
  /** A flush that wrote back stores of several sites. */
  sharedFlush?(view: EventView, report: Report): void;
  /** A fence of a thread that had flushed nothing. */
  idleFence?(view: EventView, report: Report): void;
  /** A fence that completed several flushes at once: `view.pendingFlush` tells of two. */
  sharedFence?(view: EventView, report: Report): void;
  /** A store over an earlier one with another value, not yet persisted; `ordered`: a fence has passed in between. */
  overwrite?(view: EventView, ordered: boolean, report: Report): void;
  /** A store that is not persisted when its memory goes away. */
  loss?(view: EventView, how: Loss, flushedElsewhere: boolean, report: Report): void;
  /** A store in a transaction that did not add its range. */
  unaddedStore?(view: EventView, report: Report): void;
  /** A store outside any transaction, to an object of transactions, while another such store is not persisted. */
  looseStore?(view: EventView, other: Mark, object: Mark, report: Report): void;
  /** A range added to a transaction while another thread's has some of it. */
  overlappingAdd?(view: EventView, other: Mark, report: Report): void;
  /** A range added to a transaction that has some of it already. */
  repeatedAdd?(view: EventView, earlier: Mark, report: Report): void;
}

export interface Rule extends RuleInfo {
  readonly platforms: readonly Platform[];
  readonly modes: readonly PmMode[];
  readonly on: Situations;
  /** What it says of an ordinary file, where flushes mean nothing. */
  readonly ofFiles?: Pick<Rule, "title" | "sentence" | "advice" | "on">;
}
