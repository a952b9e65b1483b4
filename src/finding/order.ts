/** Two stores that a crash may keep in an order that strict persistency does not have, as plain data. */
import type { StoreFact } from "./crash.ts";

export interface StorePair {
  /** What happens first, and was lost. */
  readonly missing: StoreFact;
  /** What happens later, and was kept. */
  readonly kept: StoreFact;
}

export interface OrderFacts extends StorePair {
  /** Which of recovery's two reads came later: that of the missing store's place, or that of the kept one. */
  readonly reading: "too old" | "too new";
  /** What recovery read where the missing store should be, and what it would have been. */
  readonly stale: bigint;
  /** A crash in which the stores are in order shows recovery the same values. */
  readonly sameValues: boolean;
  /** More pairs of the same field and the same function. */
  readonly others: readonly StorePair[];
}
