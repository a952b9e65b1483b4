/** Which path is gone next. Whatever a policy says, one pick in ten is the oldest, so that none waits for ever. */
import { below, type RandomState } from "../../base/index.ts";

export interface WaitingPath {
  /** Whether the way that its decision goes has been gone by no path. */
  readonly isFresh: () => boolean;
}

export const searches = ["coverage", "breadth", "depth", "random"] as const;
export type SearchPolicy = (typeof searches)[number];

/** The index of one of those that wait, the oldest first. */
type Policy = (waiting: readonly WaitingPath[], random: RandomState) => number;

const policies: Readonly<Record<SearchPolicy, Policy>> = {
  /** A way that no path has gone; else the oldest. */
  coverage: (waiting) => Math.max(0, waiting.findIndex(({ isFresh }) => isFresh())), // biome-ignore format: one line
  breadth: () => 0,
  depth: (waiting) => waiting.length - 1,
  random: (waiting, random) => below(random, waiting.length),
};

const oldestEvery = 10;

export function nextOf(
  search: SearchPolicy,
  waiting: readonly WaitingPath[],
  pick: number,
  random: RandomState,
): number {
  return pick % oldestEvery === oldestEvery - 1 ? 0 : policies[search](waiting, random);
}
