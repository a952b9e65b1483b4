/**
 * What a line may hold, without those contents that stand for nothing of their own. A word that nobody flushes (a lock in the
 * pool) has as many contents as it has stores, and a handful of values. Always:
 * - Of contents with equal bytes, three are named: the first, the last, and the last without a torn store. A way looks at no others:
 *   which answers there are, which comes first, whether one is new, which loses the least.
 * - Few contents are all named.
 */
import { wordsPerLine } from "./line-contents.ts";
import type { TracePoints } from "./trace-points.ts";

/** So many contents are not worth the trouble. */
const few = 64;
const none = -1;

/** Of each content of a line, its neighbours with the same bytes; by the line's own numbers, `none` where there is none. */
interface EqualNeighbours {
  readonly first: number;
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** The next that has no torn store. */
  readonly wholeAfter: Int32Array;
}

/** Windows of one line with the same beginning, by their ends; the largest of them is where larger ones are worked out from. */
interface KnownWindows {
  readonly low: number;
  readonly byHigh: Map<number, readonly number[]>;
  largest: number;
}

export class DistinctContents {
  readonly #points: TracePoints;
  readonly #neighbours = new Map<number, EqualNeighbours>();
  readonly #known = new Map<number, KnownWindows>();

  constructor(points: TracePoints) {
    this.#points = points;
  }

  /** Those that count between two contents of the line, both included, in order. */
  within(line: number, low: number, high: number): readonly number[] {
    if (high - low < few) return range(low, high);
    const windows = this.#windows(line, low);
    const known = windows.byHigh.get(high);
    if (known !== undefined) return known;
    const { largest } = windows;
    const grown = largest < high ? windows.byHigh.get(largest) : undefined;
    const candidates = grown === undefined ? range(low, high) : [...grown, ...range(largest + 1, high)];
    const contents = this.#counting(line, candidates, low, high);
    // Where nearly each has bytes of its own, lists for all windows would be as large as what they spare.
    if (contents.length <= few) {
      windows.byHigh.set(high, contents);
      windows.largest = Math.max(largest, high);
    }
    return contents;
  }

  #windows(line: number, low: number): KnownWindows {
    const known = this.#known.get(line);
    if (known?.low === low) return known;
    const windows = { low, byHigh: new Map<number, readonly number[]>(), largest: none };
    this.#known.set(line, windows);
    return windows;
  }

  #counting(line: number, candidates: readonly number[], low: number, high: number): readonly number[] {
    const { first, before, after, wholeAfter } = this.#neighbours.get(line) ?? this.#compare(line);
    const end = high - first;
    return candidates.filter((content) => {
      const at = content - first;
      const isLast = after[at] === none || after[at]! > end;
      const isLastWhole = this.#isWhole(content) && (wholeAfter[at] === none || wholeAfter[at]! > end);
      return isLast || isLastWhole || before[at]! < low - first;
    });
  }

  #isWhole(content: number): boolean {
    return this.#points.tables.cuts[2 * content + 1] === 0;
  }

  #compare(line: number): EqualNeighbours {
    const [first, end] = this.#points.contentsOf(line);
    const [before, after, wholeAfter] = [0, 1, 2].map(() => new Int32Array(end - first).fill(none));
    const latest = new Map<string, { any: number; whole: number }>();
    const { words } = this.#points.tables;
    for (let content = first; content < end; content++) {
      const at = content - first;
      const key = words.subarray(content * wordsPerLine, (content + 1) * wordsPerLine).join();
      const known = latest.get(key) ?? { any: none, whole: none };
      latest.set(key, known);
      before![at] = known.any;
      if (known.any !== none) after![known.any] = at;
      known.any = at;
      if (!this.#isWhole(content)) continue;
      if (known.whole !== none) wholeAfter![known.whole] = at;
      known.whole = at;
    }
    const equal = { first, before: before!, after: after!, wholeAfter: wholeAfter! };
    this.#neighbours.set(line, equal);
    return equal;
  }
}

export function range(low: number, high: number): number[] {
  const numbers: number[] = [];
  for (let number = low; number <= high; number++) numbers.push(number);
  return numbers;
}
