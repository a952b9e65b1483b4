/**
 * The mappings of a process as a value: a flat tree of sorted leaves, so that one change among many costs little. Always:
 * - Sorted by address, non-empty, page-granular, no two overlap; neighbours that could be one are one.
 * - Trees, leaves and areas are never changed in place, so a snapshot may keep them.
 * - No leaf is empty, and none has more than `leafAreas`.
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

interface Leaf {
  readonly areas: readonly Area[];
  /** The largest free range between two of them. */
  readonly gap: number;
}

export interface Areas {
  readonly leaves: readonly Leaf[];
  readonly count: number;
  readonly bytes: number;
}

export const noAreas: Areas = { leaves: [], count: 0, bytes: 0 };

/** Of Linux (vm.max_map_count): a call that would leave more fails with ENOMEM. */
export const areasMax = 65_530;
const leafAreas = 32;

const startOf = ({ areas }: Leaf): number => areas[0]!.start;
const endOf = ({ areas }: Leaf): number => areas[areas.length - 1]!.end;

/** Index of the first item that ends after `address`. */
function firstAfter<Item>(items: readonly Item[], end: (item: Item) => number, address: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (end(items[middle]!) > address) high = middle;
    else low = middle + 1;
  }
  return low;
}

const areaEnd = ({ end }: Area): number => end;

/** Joined by hand: a program that grows its heap piece by piece asks for this more than for anything else here. */
function areasOf(leaves: readonly Leaf[]): readonly Area[] {
  if (leaves.length === 1) return leaves[0]!.areas;
  const all: Area[] = [];
  for (const { areas } of leaves) for (const area of areas) all.push(area);
  return all;
}

export const listAreas = ({ leaves }: Areas): readonly Area[] => areasOf(leaves);

/** Areas in order from the first that ends after `address`, as long as `goesOn`. */
function forEachFrom({ leaves }: Areas, address: number, goesOn: (area: Area) => boolean): void {
  for (let leaf = firstAfter(leaves, endOf, address); leaf < leaves.length; leaf++) {
    const { areas } = leaves[leaf]!;
    for (let index = firstAfter(areas, areaEnd, address); index < areas.length; index++)
      if (!goesOn(areas[index]!)) return;
  }
}

/** The first area that ends after `address`. */
function areaFrom({ leaves }: Areas, address: number): Area | undefined {
  const leaf = leaves[firstAfter(leaves, endOf, address)];
  return leaf?.areas[firstAfter(leaf.areas, areaEnd, address)];
}

export function areaAt(areas: Areas, address: number): Area | undefined {
  const area = areaFrom(areas, address);
  return area !== undefined && area.start <= address ? area : undefined;
}

/** The parts of areas inside [start, end), cut to it. */
export function piecesIn(areas: Areas, start: number, end: number): Area[] {
  const pieces: Area[] = [];
  forEachFrom(areas, start, (area) => {
    if (area.start >= end) return false;
    pieces.push(clip(area, start, end));
    return true;
  });
  return pieces;
}

/** Whether every byte of [start, end) is mapped. */
export function covers(areas: Areas, start: number, end: number): boolean {
  let at = start;
  forEachFrom(areas, start, (area) => {
    if (area.start > at) return false;
    at = area.end;
    return at < end;
  });
  return at >= end;
}

export const isFree = (areas: Areas, start: number, end: number): boolean => {
  const next = areaFrom(areas, start);
  return next === undefined || next.start >= end;
};

export function clip(area: Area, start: number, end: number): Area {
  const from = Math.max(area.start, start);
  const to = Math.min(area.end, end);
  if (from === area.start && to === area.end) return area;
  const file = area.file && { inode: area.file.inode, offset: area.file.offset + (from - area.start) };
  return { ...area, start: from, end: to, file };
}

/** Replaces whatever lies in [start, end) by `pieces`, which lie inside it in order. */
export function replace(areas: Areas, start: number, end: number, pieces: readonly Area[]): Areas {
  const { leaves } = areas;
  // One leaf more on either side: neighbours may join, and small leaves are filled up.
  const first = Math.max(0, firstAfter(leaves, endOf, start) - 1);
  let last = first;
  while (last < leaves.length && startOf(leaves[last]!) < end) last++;
  last = Math.min(leaves.length, last + 1);
  const old = areasOf(leaves.slice(first, last));
  const fresh = replaceIn(old, start, end, pieces);
  const bytes = areas.bytes - sizeOf(old) + sizeOf(fresh);
  const count = areas.count - old.length + fresh.length;
  return { leaves: [...leaves.slice(0, first), ...toLeaves(fresh), ...leaves.slice(last)], count, bytes };
}

export function sizeOf(areas: readonly Area[]): number {
  let bytes = 0;
  for (const { start, end } of areas) bytes += end - start;
  return bytes;
}

/** Leaves of about the same size. */
function toLeaves(areas: readonly Area[]): Leaf[] {
  const leaves: Leaf[] = [];
  const size = Math.ceil(areas.length / Math.ceil(areas.length / leafAreas));
  for (let from = 0; from < areas.length; from += size) {
    const part = areas.slice(from, from + size);
    let gap = 0;
    for (let index = 1; index < part.length; index++) gap = Math.max(gap, part[index]!.start - part[index - 1]!.end);
    leaves.push({ areas: part, gap });
  }
  return leaves;
}

function replaceIn(areas: readonly Area[], start: number, end: number, pieces: readonly Area[]): readonly Area[] {
  const first = firstAfter(areas, areaEnd, start);
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
export function highestGap({ leaves }: Areas, bottom: number, top: number, length: number): number | undefined {
  let ceiling = top;
  for (let index = leaves.length - 1; index >= 0; index--) {
    const leaf = leaves[index]!;
    if (startOf(leaf) >= ceiling) continue;
    if (leaf.gap < length && ceiling - endOf(leaf) < length) {
      ceiling = startOf(leaf);
      continue;
    }
    for (let at = leaf.areas.length - 1; at >= 0; at--) {
      const area = leaf.areas[at]!;
      if (area.start >= ceiling) continue;
      if (ceiling - area.end >= length) return ceiling - length >= bottom ? ceiling - length : undefined;
      ceiling = area.start;
    }
  }
  return ceiling - length >= bottom ? ceiling - length : undefined;
}
