/**
 * Numbered work: items have numbers from 0 on, a unit is a range of them. Most engines' plans hand out their work so.
 * Always: ranges that were handed out do not overlap; unless somebody takes one out of turn, they come in increasing order.
 */
export interface Range {
  readonly from: number;
  /** The first number that is no part of it. */
  readonly to: number;
}

/** Numbers that were looked at, as ranges that do not touch, in order. */
export class Coverage {
  #ranges: readonly Range[] = [];

  get count(): number {
    return this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  add({ from, to }: Range): void {
    if (from === to) return;
    const apart = this.#ranges.filter((range) => range.to < from || range.from > to);
    const touching = this.#ranges.filter((range) => range.to >= from && range.from <= to);
    const whole = {
      from: Math.min(from, ...touching.map((range) => range.from)),
      to: Math.max(to, ...touching.map((range) => range.to)),
    };
    this.#ranges = [...apart, whole].sort((a, b) => a.from - b.from);
  }

  remove({ from, to }: Range): void {
    this.#ranges = this.#ranges.flatMap((range) =>
      [
        { from: range.from, to: Math.min(range.to, from) },
        { from: Math.max(range.from, to), to: range.to },
      ].filter((part) => part.from < part.to),
    );
  }

  overlaps({ from, to }: Range): boolean {
    return this.#ranges.some((range) => range.from < to && range.to > from);
  }

  /** How many numbers of a range. */
  within({ from, to }: Range): number {
    return this.#ranges.reduce(
      (sum, range) => sum + Math.max(0, Math.min(to, range.to) - Math.max(from, range.from)),
      0,
    );
  }

  has({ from, to }: Range): boolean {
    return from === to || this.#ranges.some((range) => range.from <= from && range.to >= to);
  }

  /** What is left of the first `count`. */
  gaps(count: number): Range[] {
    const ends = [0, ...this.#ranges.map(({ to }) => to)];
    const begins = [...this.#ranges.map(({ from }) => from), count];
    return ends.map((from, at) => ({ from, to: Math.min(begins[at]!, count) })).filter(({ from, to }) => from < to);
  }
}

/** Hands ranges out, each number once; what was not judged comes again. */
export class RangeQueue {
  readonly #items: number;
  readonly judged = new Coverage();
  readonly #given = new Coverage();

  constructor(items: number) {
    this.#items = items;
  }

  /** The next range of at most so many numbers; `fit` may make it shorter, but not empty. */
  next(most: number, fit: (range: Range) => Range = (range) => range): Range | undefined {
    const [gap] = this.#given.gaps(this.#items);
    if (gap === undefined) return undefined;
    const range = fit({ from: gap.from, to: Math.min(gap.to, gap.from + Math.max(1, most)) });
    this.#given.add(range);
    return range;
  }

  /** Hands this range out, unless some of it was before. */
  take(range: Range): boolean {
    if (this.#given.overlaps(range)) return false;
    this.#given.add(range);
    return true;
  }

  /** False when some of this was judged before, which a damaged journal may say: then all of it counts as not said. */
  add({ unit, rest }: { readonly unit: Range; readonly rest?: Range }): boolean {
    if (this.judged.overlaps(unit)) return false;
    this.judged.add(unit);
    this.#given.add(unit);
    if (rest !== undefined) this.#giveBack(rest);
    return true;
  }

  /** What was judged since stays so. */
  #giveBack(rest: Range): void {
    for (const { from, to } of this.judged.gaps(rest.to))
      if (to > rest.from) this.#given.remove({ from: Math.max(from, rest.from), to });
  }
}
