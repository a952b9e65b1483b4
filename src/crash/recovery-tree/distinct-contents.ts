/**
 * What a line may hold, without those contents that stand for nothing of their own. A word that nobody flushes (a lock in the
 * pool) has as many contents as it has stores, and a handful of values. Always:
 * - Of contents with equal bytes, three are named: the first, the last, and the last without a torn store. A way looks at no others:
 *   which answers there are, which comes first, whether one is new, which loses the least.
 * - Few contents are all named, and those of a line that has more different bytes than there are contents in the window.
 */
import type { TracePoints } from "./trace-points.ts";

/** So many contents are not worth the trouble. */
const few = 64;

/** Contents of a line with the same bytes, and those of them without a torn store, each in order. */
interface EqualContents {
  readonly all: readonly number[];
  readonly whole: readonly number[];
}

export class DistinctContents {
  readonly #points: TracePoints;
  /** By line. */
  readonly #equal = new Map<number, readonly EqualContents[]>();

  constructor(points: TracePoints) {
    this.#points = points;
  }

  /** Those that count between two contents of the line, both included, in order. Costs what there are of different bytes. */
  within(line: number, low: number, high: number): readonly number[] {
    if (high - low < few) return range(low, high);
    const equal = this.#equal.get(line) ?? this.#compare(line);
    if (equal.length > high - low) return range(low, high);
    const counting = new Set<number>();
    for (const { all, whole } of equal) {
      const first = all[placeIn(all, low)];
      if (first === undefined || first > high) continue;
      counting.add(first).add(all[placeIn(all, high + 1) - 1]!);
      const lastWhole = whole[placeIn(whole, high + 1) - 1];
      if (lastWhole !== undefined && lastWhole >= low) counting.add(lastWhole);
    }
    return [...counting].sort((a, b) => a - b);
  }

  #compare(line: number): readonly EqualContents[] {
    const [first, end] = this.#points.contentsOf(line);
    const byBytes = new Map<string, { readonly all: number[]; readonly whole: number[] }>();
    const { cuts } = this.#points.tables;
    for (let content = first; content < end; content++) {
      const key = this.#points.contents.words(content).join();
      const equal = byBytes.get(key) ?? { all: [], whole: [] };
      byBytes.set(key, equal);
      equal.all.push(content);
      if (cuts[2 * content + 1] === 0) equal.whole.push(content);
    }
    const equal = [...byBytes.values()];
    this.#equal.set(line, equal);
    return equal;
  }
}

/** How many of these, which are in order, are less than a number. */
function placeIn(numbers: readonly number[], number: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function range(low: number, high: number): number[] {
  const numbers: number[] = [];
  for (let number = low; number <= high; number++) numbers.push(number);
  return numbers;
}
