/** What shows a crash finding: what was lost and kept, where the power was cut, how recovery ended, and what cures it. */
import type { EventPlace, Hex, PlaceIndex, Whole } from "./places.ts";

/** What one statement or one call wrote to persistent memory: one store, or the many of a memcpy. */
export interface Write extends EventPlace {
  /** The persistent file. */
  readonly file?: string;
  /** Of the first byte, in that file. */
  readonly offset?: Whole;
  /** Of the first byte, in the guest. */
  readonly address?: Hex;
  /** Bytes. */
  readonly size: Whole;
  /**
   * What was written, two digits a byte; long writes end early.
   * @pattern ^([0-9a-f]{2})*$
   */
  readonly bytes?: string;
  /** The same, where it is text. */
  readonly text?: string;
  /** The variable or field: `log->len`, `rec[k]`. */
  readonly name?: string;
  /** What was written is a whole number with a sign. */
  readonly signed?: boolean;
  /** Stores it is made of, where more than one. */
  readonly stores?: Whole;
}

/** The power is cut before this event. */
export interface Cut extends EventPlace {
  /** What the event is: `clwb`, `sfence`, `store`; `end` after the last one. */
  readonly before: string;
}

/** A power cut before the one that recovery fails after. */
export interface PreviousCut extends Cut {
  readonly lost?: readonly Write[];
}

export interface ExitVerdict {
  readonly kind: "exit";
  readonly code: Whole;
}
export interface SignalVerdict {
  readonly kind: "signal";
  /** `SIGSEGV` */
  readonly name: string;
  /** That it could not access. */
  readonly address?: Hex;
}
/** Every thread waits, and none can be woken. */
export interface DeadlockVerdict {
  readonly kind: "deadlock";
}
/** It did not end within so many instructions. */
export interface HangVerdict {
  readonly kind: "hang";
  readonly instructions: Whole;
}
/** It ended well, but printed what it prints after no clean stop. */
export interface OutputVerdict {
  readonly kind: "output";
  readonly printed: string;
  /** What it prints after clean stops: before the operation under way, and after it. */
  readonly expected: readonly string[];
}
/** An object of a pool of libpmemobj. */
export interface LeakedObject {
  readonly file: string;
  /** Of its first byte in the pool, as a PMEMoid has it. */
  readonly offset: Whole;
  /** Bytes that it may use. */
  readonly size: Whole;
}
/** It ended well, but left objects allocated that nothing refers to. */
export interface LeakVerdict {
  readonly kind: "leak";
  readonly objects: readonly LeakedObject[];
}
export type Verdict = ExitVerdict | SignalVerdict | DeadlockVerdict | HangVerdict | OutputVerdict | LeakVerdict;

/** The recovery that ran on what the crash left. */
export interface Recovery {
  readonly command?: readonly string[];
  readonly verdict: Verdict;
  /** Its last words on standard output, if any. */
  readonly stdout?: string;
  readonly stderr?: string;
  /** How else it ends at other crash states that show the same mistake. */
  readonly otherEnds?: readonly Verdict[];
  /** Where it was when it ended; events count in its own trace. */
  readonly end?: EventPlace;
}

export interface Suggestion {
  readonly insert: "flush" | "fence" | "flush-and-fence";
  /** What to flush, as the source would say it. */
  readonly what?: string;
  /** Behind this place. */
  readonly after: PlaceIndex;
}

/** The program with the cure, run through the same engine. */
export interface Verification {
  readonly result: "cured" | "not-cured" | "not-tried";
  /** Crash states of the cured program that were judged. */
  readonly states?: Whole;
  readonly seconds?: number;
  /** Of what was not tried: so many instructions of the guest, which a check may spend on tries, were not enough. */
  readonly bound?: Whole;
}

export interface Cure {
  /** `keep`: with any of `stores` kept the failure is gone. `none`: it fails though every store was kept. */
  readonly kind: "keep" | "none";
  /** Positions in the finding's `lost`. */
  readonly stores: readonly Whole[];
  readonly suggestions?: readonly Suggestion[];
  readonly verification?: Verification;
  /** A unified diff of the source. */
  readonly diff?: string;
}

/** The power is cut before this event of the program; `again`: of the recovery that follows the last crash. */
export interface CrashChoice {
  readonly kind: "crash" | "again";
  readonly before: Whole;
  /** Of the files, where a call follows the event before that changes them. */
  readonly version?: Whole;
}
/** Of a line of a persistent file: how many of its stores are kept, counted from the beginning of the trace. */
export interface CutChoice {
  readonly kind: "cut";
  readonly file: string;
  readonly line: Whole;
  readonly kept: Whole;
  /** Of the last store that is kept, where it is wider than 8 bytes: which of its pieces, if not all. */
  readonly pieces?: readonly Whole[];
}
/** The thread runs next, for so many instructions. */
export interface TurnChoice {
  readonly kind: "turn";
  readonly thread: Whole;
  readonly instructions: Whole;
}
/** So many of the thread's buffered stores become visible, oldest first. */
export interface DrainChoice {
  readonly kind: "drain";
  readonly thread: Whole;
  readonly stores: Whole;
  /** Each leaves before so many that could leave too, where some are non-temporal. */
  readonly behind?: Whole;
}
/** What the program reads, from a position of its standard input on. */
export interface InputChoice {
  readonly kind: "input";
  readonly at: Whole;
  /** Two digits a byte. */
  readonly bytes: string;
}
export type Choice = CrashChoice | CutChoice | TurnChoice | DrainChoice | InputChoice;

/** All it takes to see a finding again. */
export interface Witness {
  readonly choices: readonly Choice[];
  /** The same in one line, as witness files have it. */
  readonly text?: string;
  /** The command that replays it, word by word. */
  readonly replay?: readonly string[];
}
