/**
 * Ways that are yet to be gone, the likeliest to fail first: where at most one line lost a store, at whatever point; then where two did, then
 * three. Most mistakes show where one line is lost, and a point with endless combinations holds up nothing. Always:
 * - Ways of one rank are taken last first, so that what waits costs no more than its own choices; those of a higher rank, when their turn
 *   comes, by their points, so that going from one to the next costs little.
 * - Where too many wait, the highest rank goes first, which adds the fewest: memory stays bounded.
 */
import type { Item } from "./walks.ts";

/** Some hundred bytes each. */
const mostDeferred = 1 << 17;

/** No line, or one, is the first rank. */
const rankOf = ({ lost }: Item): number => Math.max(0, lost - 1);

export class WaysAhead {
  readonly #byRank: Item[][] = [[]];
  readonly #mostDeferred: number;
  /** Ranks up to this one had their turn. */
  #reached = 0;
  /** How many there are. */
  size = 0;

  constructor(most = mostDeferred) {
    this.#mostDeferred = most;
  }

  push(item: Item): void {
    const rank = rankOf(item);
    while (this.#byRank.length <= rank) this.#byRank.push([]);
    this.#byRank[rank]!.push(item);
    this.size++;
  }

  /** The fewest lines that lost a store on a way that is left, of at least one; undefined where none is left. */
  get fewestLost(): number | undefined {
    const rank = this.#byRank.findIndex((items) => items.length > 0);
    return rank < 0 ? undefined : rank + 1;
  }

  /** `onlyLikely`: points are left to begin with, so that only the first rank has its turn, unless too many others wait. */
  pop(onlyLikely: boolean): Item | undefined {
    const rank = this.#next(onlyLikely);
    if (rank === undefined) return undefined;
    this.size--;
    return this.#byRank[rank]!.pop();
  }

  #next(onlyLikely: boolean): number | undefined {
    const least = this.#byRank.findIndex((items) => items.length > 0);
    if (least <= 0) return least < 0 ? undefined : least;
    if (this.size > this.#mostDeferred) return this.#byRank.findLastIndex((items) => items.length > 0);
    if (onlyLikely) return undefined;
    if (least > this.#reached) {
      this.#reached = least;
      this.#byRank[least]!.sort((a, b) => b.round.point - a.round.point);
    }
    return least;
  }
}
