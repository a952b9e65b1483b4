/**
 * What the theory of order judges: a graph whose edges hold when literals do. Nodes are events of an execution, numbered from 0; what
 * stores leave is numbered apart, in pieces, since loads of other sizes may read a store's bytes from several stores. Always:
 * - The edges that hold must not form a cycle.
 * - A read and an overwriting of one piece give a third edge: who reads it comes before every store that overwrites it (fr).
 * - A node that is said to be unseen has no way, over the steps that hold, to the node `seen`.
 */
import type { Literal } from "../theory.ts";

/** Holds when all of `because` hold; always, when there are none. */
export interface GuardedEdge {
  readonly from: number;
  readonly to: number;
  readonly because: readonly Literal[];
}

/** `reader` reads this piece. */
export interface GuardedRead {
  readonly reader: number;
  readonly piece: number;
  readonly literal: Literal;
}

/** This piece is overwritten by `later`. */
export interface GuardedOrder {
  readonly piece: number;
  readonly later: number;
  readonly literal: Literal;
}

/** What it means that a reader comes before a store: an edge, nothing, or that the two literals cannot both hold. */
export type FromRead = "edge" | "nothing" | "impossible";

export interface OrderProblem {
  readonly atoms: number;
  readonly nodes: number;
  readonly pieces: number;
  readonly edges: readonly GuardedEdge[];
  readonly reads: readonly GuardedRead[];
  readonly orders: readonly GuardedOrder[];
  readonly fromRead: (reader: number, store: number) => FromRead;
  /** Program order and reads-from, over which something is seen. */
  readonly steps: readonly GuardedEdge[];
  /** Absent where nothing is said to be unseen. */
  readonly seen?: number;
  readonly unseen: readonly { readonly node: number; readonly literal: Literal }[];
}
