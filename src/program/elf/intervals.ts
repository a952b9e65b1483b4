/** Half-open address intervals that may nest or overlap, looked up by address in logarithmic time. */
import { assert } from "../../base/index.ts";

export interface Interval<T> {
  readonly low: number;
  readonly high: number;
  readonly value: T;
}

export class IntervalIndex<T> {
  /** Ascending by `low`. */
  readonly #intervals: readonly Interval<T>[];
  /** For each interval, the highest `high` up to it: where looking back for enclosing ones may stop. */
  readonly #highest: readonly number[];

  constructor(intervals: readonly Interval<T>[]) {
    this.#intervals = intervals.toSorted((a, b) => a.low - b.low);
    let highest = 0;
    this.#highest = this.#intervals.map(({ high }) => {
      highest = Math.max(highest, high);
      return highest;
    });
  }

  /** What covers an address, narrowest first; of equally wide ones, the first given. */
  at(address: number): readonly T[] {
    const found: Interval<T>[] = [];
    for (let index = this.#countUpTo(address) - 1; index >= 0; index--) {
      if ((this.#highest[index] as number) <= address) break;
      const interval = this.#intervals[index] as Interval<T>;
      if (interval.high > address) found.unshift(interval);
    }
    if (found.length > 1) found.sort((a, b) => a.high - a.low - (b.high - b.low));
    return found.map(({ value }) => value);
  }

  /** How many intervals begin at or below an address. */
  #countUpTo(address: number): number {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#intervals[middle] as Interval<T>).low <= address) low = middle + 1;
      else high = middle;
    }
    assert(low === 0 || this.#intervals[low - 1]!.low <= address, "elf: intervals ascend");
    assert(low === this.#intervals.length || this.#intervals[low]!.low > address, "elf: intervals ascend");
    return low;
  }
}
