/**
 * The list of a process's mappings as a value. Always:
 * - Sorted by address, non-empty, page-granular, no two overlap; neighbours that could be one are one.
 * - Lists and areas are never changed in place, so a snapshot may keep them.
 */
import type { InodeId } from "../files/index.ts";

export interface Backing {
  readonly inode: InodeId;
  /** File offset of the area's first byte. */
  readonly offset: number;
}

export interface Area {
  readonly start: number;
  readonly end: number;
  /** PROT_READ 1, PROT_WRITE 2, PROT_EXEC 4. */
  readonly protection: number;
  /** The most mprotect may grant: a shared mapping of a read-only descriptor never becomes writable. */
  readonly ceiling: number;
  readonly shared: boolean;
  readonly file: Backing | undefined;
  /** "[stack]", "[heap]"; files are named by their path. */
  readonly name: string | undefined;
  /** Stores to it are persistent-memory events. */
  readonly persistent: boolean;
  /** What is used of it is noted. */
  readonly watched: boolean;
}

export type Areas = readonly Area[];

/** Index of the first area that ends after `address`. */
export function indexAt(areas: Areas, address: number): number {
  let low = 0;
  let high = areas.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (areas[middle]!.end > address) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function areaAt(areas: Areas, address: number): Area | undefined {
  const area = areas[indexAt(areas, address)];
  return area !== undefined && area.start <= address ? area : undefined;
}

/** The parts of areas inside [start, end), cut to it. */
export function piecesIn(areas: Areas, start: number, end: number): Area[] {
  const pieces: Area[] = [];
  for (let i = indexAt(areas, start); i < areas.length && areas[i]!.start < end; i++) {
    pieces.push(clip(areas[i]!, start, end));
  }
  return pieces;
}

/** Whether every byte of [start, end) is mapped. */
export function covers(areas: Areas, start: number, end: number): boolean {
  let at = start;
  for (let i = indexAt(areas, start); i < areas.length && at < end; i++) {
    if (areas[i]!.start > at) return false;
    at = areas[i]!.end;
  }
  return at >= end;
}

export const isFree = (areas: Areas, start: number, end: number): boolean => {
  const next = areas[indexAt(areas, start)];
  return next === undefined || next.start >= end;
};

function clip(area: Area, start: number, end: number): Area {
  const from = Math.max(area.start, start);
  const to = Math.min(area.end, end);
  if (from === area.start && to === area.end) return area;
  const file = area.file && { inode: area.file.inode, offset: area.file.offset + (from - area.start) };
  return { ...area, start: from, end: to, file };
}

/** Replaces whatever lies in [start, end) by `pieces`, which lie inside it in order. */
export function replace(areas: Areas, start: number, end: number, pieces: readonly Area[]): Areas {
  const first = indexAt(areas, start);
  let last = first;
  const middle: Area[] = [];
  const head = areas[first];
  if (head !== undefined && head.start < start) middle.push(clip(head, head.start, start));
  middle.push(...pieces);
  while (last < areas.length && areas[last]!.start < end) last++;
  const tail = areas[last - 1];
  if (last > first && tail !== undefined && tail.end > end) middle.push(clip(tail, end, tail.end));
  const before = areas.slice(0, first);
  const after = areas.slice(last);
  const previous = before.pop();
  const next = after.shift();
  const joined: Area[] = previous === undefined ? [] : [previous];
  for (const area of next === undefined ? middle : [...middle, next]) {
    const left = joined.at(-1);
    if (left !== undefined && joins(left, area)) joined[joined.length - 1] = { ...left, end: area.end };
    else joined.push(area);
  }
  return [...before, ...joined, ...after];
}

function joins(left: Area, right: Area): boolean {
  return (
    left.end === right.start &&
    left.protection === right.protection &&
    left.ceiling === right.ceiling &&
    left.shared === right.shared &&
    left.name === right.name &&
    left.persistent === right.persistent &&
    left.watched === right.watched &&
    left.file?.inode === right.file?.inode &&
    (left.file === undefined || left.file.offset + (left.end - left.start) === right.file!.offset)
  );
}

/** Start of the highest free range of `length` bytes inside [bottom, top); undefined when there is none. */
export function highestGap(areas: Areas, bottom: number, top: number, length: number): number | undefined {
  let ceiling = top;
  for (let i = Math.min(indexAt(areas, top - 1), areas.length - 1); i >= 0; i--) {
    const area = areas[i]!;
    if (area.start >= ceiling) continue;
    if (ceiling - area.end >= length) break;
    ceiling = area.start;
  }
  return ceiling - length >= bottom ? ceiling - length : undefined;
}
