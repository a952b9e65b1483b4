/** What a walk through the tree of recoveries is made of: points to be gone through, ways yet to be gone, runs that are needed. */
import type { Folds } from "./folds.ts";
import type { OrderedState } from "./ordered-states.ts";
import type { Held } from "./runner.ts";
import type { Leaf, Stretch } from "./tree.ts";

/** What is left of a line's contents along a way: a list that shares its beginning with other ways'. */
export interface Narrowed {
  readonly above: Narrowed | undefined;
  readonly level: number;
  readonly line: number;
  /** Numbers of contents, in order. */
  readonly contents: ArrayLike<number>;
  readonly before: ArrayLike<number> | undefined;
}

/** A point whose crash states are to be gone through: all of them, or those in which only some lines lost anything. */
export interface Round {
  readonly point: number;
  /** By line that may have lost stores: the first and the last of its contents that count, beside that with every store. */
  readonly open?: ReadonlyMap<number, readonly [from: number, to: number]>;
}

/** A way that is yet to be gone, from the beginning of a stretch. */
export interface Item {
  readonly round: Round;
  readonly folds: Folds;
  readonly stretch: Stretch;
  readonly narrowed: Narrowed | undefined;
  /** Lines that cannot have every store there. */
  readonly lost: number;
  /** Questions before the stretch. */
  readonly depth: number;
  /** Of these, and of the lines asked so far, how many may be otherwise than at the point before. */
  readonly news: number;
  /** Where lines are not independent: the one state whose way is gone. */
  readonly state?: OrderedState | undefined;
}

/** A run that is needed: recovery on the point's state in which these lines hold these contents, all others every store. */
export interface UnknownWay {
  readonly point: number;
  readonly held: readonly Held[];
  readonly depth: number;
  readonly stretch: Stretch;
}

export interface WalkerHooks {
  /** Some states of the point end here. `walker.held()` has the one with the fewest lines that lost a store. */
  reached(leaf: Leaf, point: number): void;
  /** Nothing is left to do in the round. */
  covered(round: Round): void;
  /** Whether states that also the point before had must be told again. */
  isJudgedAnew(point: number): boolean;
  /** Whether contents with equal bytes, left by different stores, are told apart along a way (`narrowed`). */
  readonly tellsStoresApart: boolean;
}
