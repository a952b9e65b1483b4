/** What a crash that recovery fails on consists of, as plain data: reports make their words from it. */

import type { Frame } from "../../trace/events/index.ts";
import type { PoolObject, Verdict, Witness } from "../states/index.ts";
import type { Mark } from "./finding.ts";
import type { OpenReads } from "./open-reads.ts";

/** An event, with the calls that led to it, innermost first. */
export interface PlacedMark {
  readonly mark: Mark;
  readonly frames: readonly Frame[];
}

/** A store to a persistent file; the mark's address is its place in the file. */
export interface StoreFact extends PlacedMark {
  readonly path: string;
  /** Its address in the guest. */
  readonly address?: number;
  /** What was stored to, as the source says it: `log->rec[2].text`. */
  readonly name?: string;
  /** Where that is one whole number of more than a byte, by its type. */
  readonly number?: "signed" | "unsigned";
}

/** A power cut before the one that recovery fails after; what it takes of what was stored before it. */
export interface PreviousCrash {
  readonly before: string;
  readonly cut: PlacedMark;
  readonly lost: readonly StoreFact[];
}

/** Where recovery reads what the program stored last before it fails with every store kept. */
export interface ReadingFacts {
  readonly read: PlacedMark;
  /** What was stored there, as the source says it. */
  readonly name?: string;
  /** The position in its frames of the function that has a use for it. */
  readonly own: number;
  /** Where that function was left, or where it was when recovery ended. */
  readonly end?: Frame;
  /** Whether recovery ended while it ran. */
  readonly ended?: true;
  /** In a function that it called: where what the read led to was read last. */
  readonly last?: PlacedMark;
}

/** What recovery itself stores to persistent memory first. */
export interface RecoveryChange extends PlacedMark {
  readonly name?: string;
}

export interface CrashFacts {
  /** Where the power is cut inside a recovery: the program's crash, and those inside earlier recoveries. */
  readonly previous?: readonly PreviousCrash[];
  /** What the power is cut before: an event of this kind, or the end. */
  readonly before: string;
  readonly cut: PlacedMark;
  /** The fewest stores that recovery fails without; none when it fails with every store kept. */
  readonly lost: readonly StoreFact[];
  /** Stores of the same call to the same line, just before the lost ones: recovery fails without these too. */
  readonly earlier?: readonly StoreFact[];
  /**
   * A part was kept of what has to survive as a whole: what the same statement stored, or two stores either of which fails
   * recovery without the other. With all of it lost, the failure is gone.
   */
  readonly torn?: true;
  /**
   * The cause is in a function that several lines call, and this one of its calls alone fails: a position in its frames. Recovery was
   * tried for so many stores of the other calls, and succeeds.
   */
  readonly wrongCall?: { readonly at: number; readonly tried: number };
  /** How many lines they are on: keeping any one of them cures it. */
  readonly lostLines: number;
  /** Stores that were kept although a crash may lose them; with any of them lost too, recovery succeeds. */
  readonly kept: readonly StoreFact[];
  /** A rule knows the cause, so that the stores are told where they are made, and not where their caller called them in what order. */
  readonly isCauseKnown?: true;
  /** Where recovery fails with every store kept, or all before the lost ones: what was done last when it did not yet. */
  readonly turning?: PlacedMark & { readonly kind: string };
  /** Where recovery reads what was stored then. */
  readonly reading?: ReadingFacts;
  /** Where an output turned a good state into a bad one, which stays as it was: what recovery does to it. */
  readonly change?: RecoveryChange;
  /** Recovery fails so also after a crash while stores persist in their order: no flush or fence is missing for it. */
  readonly strict?: true;
  /** The file that this run was creating, where recovery has not succeeded on it before. */
  readonly creating?: string;
  readonly verdict: Verdict;
  readonly stdout: string;
  readonly stderr: string;
  /** The command that ended so, where it is not the first that ran after the crash. */
  readonly command?: readonly string[];
  /** Where recovery ended, where that says something. */
  readonly ended?: PlacedMark;
  /** What recovery should have printed, one or the other, where what it printed is what is wrong. */
  readonly expected?: readonly [string, string];
  /** Objects that recovery leaves allocated and unreached, where that is what is wrong. */
  readonly leaked?: readonly PoolObject[];
  /** How else recovery fails because of the same mistake, each way once. */
  readonly otherEnds: readonly { readonly verdict: Verdict; readonly stderr: string }[];
  /** Other places that the same mistake shows at. */
  readonly elsewhere: readonly PlacedMark[];
  /** Recovery failed before what was lost was stored, too; what mended that stays open while the program goes on: a mistake of its own. */
  readonly late?: true;
  /** With `turning`: what the crashes lose that would have mended it. */
  readonly alsoLost?: readonly PlacedMark[];
  readonly witness: Witness;
  /** Why loads of the recovery could read several stores, where that was asked for. */
  readonly open?: OpenReads;
}
