/** Sorted page ranges that do not touch: what fallocate reserved in a file. */
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

export const inRanges = (ranges: readonly PageRange[], page: number): boolean =>
  ranges.some(([begin, end]) => page >= begin && page < end);

export const lengthOf = (ranges: readonly PageRange[]): number =>
  ranges.reduce((sum, [begin, end]) => sum + end - begin, 0);
