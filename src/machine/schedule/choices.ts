/** What a schedule decides, as plain data. With the same decisions the same program runs in the same way, event for event. */

/** The thread runs next, for so many instructions. */
export interface ThreadTurn {
  readonly kind: "turn";
  readonly thread: number;
  readonly instructions: number;
}

/** So many of the thread's buffered stores, clflushes and sfences leave its buffer, oldest first. */
export interface BufferDrain {
  readonly kind: "drain";
  readonly thread: number;
  readonly stores: number;
  /** Each leaves before so many that could leave too: non-temporal stores are not in order with others (PM-26). */
  readonly behind?: number;
}

export type ScheduleChoice = ThreadTurn | BufferDrain;

/** By chance, from a seed; or as decided before. */
export type ScheduleOptions = { readonly seed: number } | { readonly choices: readonly ScheduleChoice[] };

/** A turn to be taken: it ends after so many instructions, or before a noticeable access once so many were made. */
export interface PlannedTurn {
  readonly thread: number;
  readonly instructions: number;
  readonly points: number | undefined;
}

/** A thread whose buffer holds something, and how much of it waits for a decision. */
export interface Waiting {
  readonly thread: number;
  readonly stores: number;
  readonly nonTemporal: boolean;
}

/** Decides; never runs anything. */
export interface SchedulePolicy {
  /** Whether turns end at noticeable accesses. */
  readonly countsPoints: boolean;
  /** Whether any access to memory that was there when threads began counts as one; else only from another thread's on. */
  readonly suspectsAll: boolean;
  /** A thread has started another. */
  started(parent: number): void;
  turn(ready: readonly number[], yielded: number | undefined): PlannedTurn;
  /** So many instructions of the turn have run. */
  ran(instructions: number): void;
  /** Between two turns: what leaves the buffers. */
  drains(waiting: readonly Waiting[]): readonly BufferDrain[];
}
