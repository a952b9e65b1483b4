/** The larger evidence of a finding, each part there where an engine yields it. */
import type { Choice, Cut, Verdict, Write } from "./crash.ts";
import type { EventPlace, Hex, PlaceIndex, Whole } from "./places.ts";

/** A line of persistent memory, 64 bytes. */
export interface TimelineLine {
  readonly file?: string;
  /** Of the line in that file, counted in lines. */
  readonly index?: Whole;
  readonly address?: Hex;
  /** What lies there: `log->len`. */
  readonly name?: string;
}

export interface TimelineStore extends EventPlace {
  readonly kind: "store";
  /** Position in the timeline's `lines`. */
  readonly line: Whole;
  /** Within the line. */
  readonly offset: Whole;
  readonly size: Whole;
  readonly bytes?: string;
  readonly name?: string;
  /** Where the type says that it is one whole number. */
  readonly number?: "signed" | "unsigned";
  readonly nonTemporal?: boolean;
  /** In the crash state that shows the finding. */
  readonly fate?: "durable" | "kept" | "lost";
}
export interface TimelineFlush extends EventPlace {
  readonly kind: "flush";
  readonly op: "clflush" | "clflushopt" | "clwb" | "msync";
  readonly line: Whole;
}
export interface TimelineFence extends EventPlace {
  readonly kind: "fence";
  readonly op: "sfence" | "mfence" | "locked";
}
/** From this event on, the line's stores up to `through` survive every crash. */
export interface TimelineDurable {
  readonly kind: "durable";
  readonly event: Whole;
  readonly line: Whole;
  /** The event of the last such store. */
  readonly through: Whole;
}
export type TimelineEvent = TimelineStore | TimelineFlush | TimelineFence | TimelineDurable;

/** What happened to the lines concerned. */
export interface Timeline {
  readonly lines: readonly TimelineLine[];
  /** In the order of the trace. */
  readonly events: readonly TimelineEvent[];
  /** The power is cut before this event. */
  readonly cut?: Whole;
  /** Events of these lines that are left out: older than those shown, and no stores that the finding is about. */
  readonly omitted?: Whole;
}

/** A store that a load of the recovery could see. */
export interface ReadCandidate {
  /** The store; left out for what was there before the program ran. */
  readonly write?: Write;
  /**
   * Why it may or may not survive: it is sure to; its line was never flushed, or before it and not after it; flushed but not
   * fenced, or fenced by other threads only; or the flush behind it was of another line that had nothing to persist.
   */
  readonly why: "persisted" | "never-flushed" | "flushed-before" | "not-fenced" | "fenced-elsewhere" | "other-line";
  /** The flush that did not do. */
  readonly flush?: EventPlace;
  /** The load saw it. */
  readonly seen?: boolean;
}

/** Bytes of persistent memory, and what recovery sees of them. */
export interface ReadBytes {
  readonly file?: string;
  readonly offset?: Whole;
  readonly size: Whole;
  /** What it saw, two digits a byte. */
  readonly bytes?: string;
  readonly name?: string;
  /** Where the type says that it is one whole number. */
  readonly number?: "signed" | "unsigned";
}

/** A load of the recovery from persistent memory, the first of these bytes; told by aligned four bytes. */
export interface RecoveryRead extends ReadBytes, EventPlace {
  /** The event of the store that it saw; left out where it saw what was there before the program ran. */
  readonly store?: Whole;
  /** The event of a newer store to the same bytes, which the crash lost. */
  readonly lost?: Whole;
  /** With another answer to this read, or to all that are marked so, recovery would not have failed. */
  readonly fatal?: boolean;
  /** Stores that it could have seen, oldest first. */
  readonly candidates?: readonly ReadCandidate[];
}

/** A recovery, and the recoveries that go on where it was cut or could read something else. */
export interface RecoveryNode {
  /** What leads here from the node above. */
  readonly choices: readonly Choice[];
  /** Where recovery itself was cut, if it was. */
  readonly cut?: Cut;
  /** The read that divides it from its siblings. */
  readonly read?: ReadBytes;
  /** How it ended, where it did. */
  readonly verdict?: Verdict;
  /** Whether that verdict is a failure. */
  readonly fails?: boolean;
  /** Crash states that it stands for. */
  readonly states: Whole;
  readonly children: readonly RecoveryNode[];
}

/** Two stores whose order of persisting no execution under strict persistency shows. */
export interface RobustnessPair {
  readonly kind: "too-old" | "too-new";
  /** Visible first, lost. */
  readonly earlier: Write;
  /** Visible later, kept. */
  readonly later: Write;
  /** The reads of recovery that see the one and miss the other. */
  readonly reads?: readonly PlaceIndex[];
}
