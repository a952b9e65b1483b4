/** Two stores that a crash may keep in an order that strict persistency does not have, as plain data. */
import type { PlacedMark, StoreFact } from "./crash.ts";

export interface StorePair {
  /** What happens first, and was lost. */
  readonly missing: StoreFact;
  /** What happens later, and was kept. */
  readonly kept: StoreFact;
}

/** A place in a file of code. */
interface CodeOffset {
  readonly module: string;
  readonly offset: number;
}

/** Flushes and fences that put stores in order, right after what the program does there. */
export interface OrderFix {
  readonly inserts: readonly { readonly op: "flush" | "fence"; readonly after: PlacedMark }[];
  /** The same for the machine that runs the program. */
  readonly patches: readonly {
    readonly insert: "clwb" | "sfence";
    readonly at: CodeOffset;
    readonly below?: CodeOffset;
  }[];
  /** It stands where another thread has read the store, not where it was made. */
  readonly reads?: true;
  /** Whether the pairs were gone when the program was judged again with the fix; undefined when nobody tried. */
  readonly verified?: boolean;
}

/** Both stores go to one object: `apart` when its fields have to be moved, `misaligned` when it only has to begin elsewhere. */
export interface SharedObject {
  readonly name: string;
  readonly lies: "apart" | "misaligned";
}

export interface OrderFacts extends StorePair {
  /** Which of recovery's two reads came later: that of the missing store's place, or that of the kept one. */
  readonly reading: "too old" | "too new";
  /** What recovery read where the missing store should be, and what it would have been. */
  readonly stale: bigint;
  /** A crash in which the stores are in order shows recovery the same values. */
  readonly sameValues: boolean;
  /** Undefined where no flush or fence can stand between the two. */
  readonly fix?: OrderFix;
  readonly object?: SharedObject;
  /** More pairs of the same field and the same function. */
  readonly others: readonly StorePair[];
}
