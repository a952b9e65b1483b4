/** Sorted page ranges that do not touch: what fallocate reserved in a file, and the holes it made. */
import type { PageRange } from "./state.ts";

export function addRange(ranges: readonly PageRange[], from: number, to: number): readonly PageRange[] {
  const before = ranges.filter(([, end]) => end < from);
  const after = ranges.filter(([begin]) => begin > to);
  const touching = ranges.filter(([begin, end]) => end >= from && begin <= to);
  const begin = Math.min(from, touching[0]?.[0] ?? from);
  const end = Math.max(to, touching.at(-1)?.[1] ?? to);
  return [...before, [begin, end], ...after];
}

export function removeRange(ranges: readonly PageRange[], from: number, to: number): readonly PageRange[] {
  return ranges.flatMap(([begin, end]): PageRange[] => {
    const left: PageRange = [begin, Math.min(end, from)];
    const right: PageRange = [Math.max(begin, to), end];
    return [left, right].filter(([b, e]) => b < e);
  });
}

/** Index of the first range that ends after `page`. */
function indexAfter(ranges: readonly PageRange[], page: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]![1] > page) high = middle;
    else low = middle + 1;
  }
  return low;
}

export const inRanges = (ranges: readonly PageRange[], page: number): boolean =>
  (ranges[indexAfter(ranges, page)]?.[0] ?? Number.POSITIVE_INFINITY) <= page;

/** Where, after `page`, a range next begins or ends; infinity when none does. */
export function nextEdge(ranges: readonly PageRange[], page: number): number {
  const [begin, end] = ranges[indexAfter(ranges, page)] ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return begin > page ? begin : end;
}

export const lengthOf = (ranges: readonly PageRange[]): number =>
  ranges.reduce((sum, [begin, end]) => sum + end - begin, 0);
