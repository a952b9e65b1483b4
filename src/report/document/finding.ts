/** One problem: where, what shows it, and what to do. The headline and the message are words; everything in them is data too. */
import type { Cure, Cut, PreviousCut, Recovery, Witness, Write } from "./crash.ts";
import type { RecoveryNode, RecoveryRead, RobustnessPair, Timeline } from "./evidence.ts";
import type { EventPlace, Hex, Whole } from "./places.ts";

/** From worst to mildest: a crash breaks something, time is wasted, something looks odd. */
export type Severity = "error" | "performance" | "warning";

/**
 * Why a place is named: the line to change, a store that was lost with it, one that survived it, where the power was cut,
 * where recovery read it, where recovery ended, another place of the same mistake, or what else had to do with it.
 */
export type PlaceRole = "cause" | "lost" | "survives" | "cut" | "read" | "end" | "also" | "related";

/**
 * What a place is to the crash: a write that it lost, alone, beside another or in part; one that survived though nothing had made it
 * durable, or as little as the one before it; the event that turns a good state into a bad one, and the write that ends that; a later
 * write that survived; the one call of a helper that fails.
 */
export type PlaceFact =
  | "lost"
  | "lost-too"
  | "lost-in-part"
  | "not-durable"
  | "not-durable-either"
  | "turns"
  | "until"
  | "survives"
  | "wrong-call";

/**
 * What kind of mistake a crash shows: a write that a later one needs can be lost; a part can be of what has to be whole; a write
 * can that was owed; the program leaves a state in between that recovery fails on, or leaves nothing else; objects are leaked; the
 * file was being created; a transaction that is rolled back did not know of a write.
 */
export type Mistake =
  | "unordered"
  | "torn"
  | "owed"
  | "unfinished"
  | "unrecoverable"
  | "leaking"
  | "creation"
  | "unadded";

export interface MarkedPlace extends EventPlace {
  readonly role: PlaceRole;
  /** What it is to the crash, where there is one; `says` has it in words. */
  readonly fact?: PlaceFact;
  /** What happened here, in a few words. */
  readonly says: string;
  /** Of what was stored or flushed here. */
  readonly address?: Hex;
  readonly size?: Whole;
  readonly value?: Hex;
}

/** What a rule over the trace says of the cause of a crash. */
export interface AlsoRule {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly count: Whole;
}

export interface Finding {
  /** The same for the same problem in another run, another directory or after unrelated changes. */
  readonly fingerprint: string;
  /** The same while its source lines read the same, wherever they move to: baselines and suppressions know it by this. */
  readonly key?: string;
  /** The baseline has it. */
  readonly known?: boolean;
  /** Its `id` among the report's `rules`. */
  readonly rule: string;
  readonly severity: Severity;
  /** Where a crash shows it. */
  readonly mistake?: Mistake;
  /** One line, in the user's terms. */
  readonly headline: string;
  /** What happened, in a sentence or two. */
  readonly message: string;
  /** What to do. */
  readonly advice: string;
  /** Occurrences at this place; of a crash finding, the crash states that show it. */
  readonly count: Whole;
  /** Rules over the trace that point at the same cause, and how often: they have no finding of their own. */
  readonly alsoRules?: readonly AlsoRule[];
  /** What a rule over the trace found, where every crash state of the run was judged and recovery fails on none of them. */
  readonly noCrashFails?: boolean;
  /** The cause first; then what else the story needs, in the order in which a reader wants it. */
  readonly places: readonly MarkedPlace[];
  readonly lost?: readonly Write[];
  /** Writes of the same call to the same line, just before the lost ones: recovery fails without these too. */
  readonly earlier?: readonly Write[];
  /** The file that the run was creating: nothing of it was complete yet. */
  readonly creating?: string;
  /** A part survived of what one statement wrote, or of two writes that recovery needs both; with all of it lost, recovery succeeds. */
  readonly torn?: boolean;
  /** Writes that survived and that the lost ones were needed for. */
  readonly kept?: readonly Write[];
  /** Recovery fails so also after a crash while stores persist in their order: no flush or fence is missing for it. */
  readonly strict?: boolean;
  readonly cut?: Cut;
  /** Where `cut` is inside a recovery: the program's crash, and those inside earlier recoveries, in order. */
  readonly previous?: readonly PreviousCut[];
  readonly recovery?: Recovery;
  readonly cure?: Cure;
  readonly witness?: Witness;
  readonly timeline?: Timeline;
  readonly reads?: readonly RecoveryRead[];
  /** Reads that are left out: of lines that the crash could leave in one way only. */
  readonly otherReads?: Whole;
  readonly tree?: RecoveryNode;
  readonly robustness?: RobustnessPair;
}
