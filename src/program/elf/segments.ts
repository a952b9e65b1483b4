/**
 * Program headers (gabi chapter 5). After `checkLoadable`:
 * - every PT_LOAD lies inside the file and inside the 47-bit user address space, and no two overlap in memory;
 * - file offset and address of each PT_LOAD agree modulo the page size, so that it can be mapped.
 */
import { Cursor } from "./cursor.ts";
import * as errors from "./errors.ts";
import type { ElfHeader } from "./header.ts";

export interface Segment {
  /** One of `segmentTypes`, or any other p_type. */
  readonly type: number;
  /** PF_X = 1, PF_W = 2, PF_R = 4. */
  readonly flags: number;
  readonly offset: number;
  readonly vaddr: number;
  readonly filesz: number;
  readonly memsz: number;
  /** A power of two; 0 and 1 both mean none. */
  readonly align: number;
}

export const segmentTypes = {
  load: 1,
  dynamic: 2,
  interpreter: 3,
  note: 4,
  programHeaders: 6,
  tls: 7,
  gnuEhFrame: 0x6474e550,
  gnuStack: 0x6474e551,
  gnuRelro: 0x6474e552,
  gnuProperty: 0x6474e553,
} as const;

export const segmentFlags = { execute: 1, write: 2, read: 4 } as const;

const PAGE = 4096;
const USER_SPACE_END = 2 ** 47;

export function readSegments(bytes: Uint8Array, header: ElfHeader, path: string): readonly Segment[] {
  const size = header.phnum * header.phentsize;
  if (size === 0) return [];
  const cursor = new Cursor(bytes, header.phoff, header.phoff + size, () =>
    errors.truncated(path, "program header table", header.phoff + size, bytes.length),
  );
  return Array.from({ length: header.phnum }, () => {
    const [type, flags, offset, vaddr] = [cursor.u32(), cursor.u32(), cursor.u64(), cursor.u64()];
    cursor.skip(8); // p_paddr
    return { type, flags, offset, vaddr, filesz: cursor.u64(), memsz: cursor.u64(), align: cursor.u64() };
  });
}

/** Refuses what no loader could place; `fileSize` is the size of the whole file. */
export function checkLoadable(segments: readonly Segment[], fileSize: number, path: string): void {
  segments.forEach((segment, index) => {
    if (segment.type === segmentTypes.load) checkLoad(segment, index, fileSize, path);
    if (segment.type === segmentTypes.tls) checkPlacement(segment, index, fileSize, path);
  });
  const loads = segments
    .map((segment, index) => ({ segment, index }))
    .filter(({ segment }) => segment.type === segmentTypes.load && segment.memsz > 0)
    .sort((a, b) => a.segment.vaddr - b.segment.vaddr);
  if (loads.length === 0) throw errors.nothingToLoad(path);
  loads.reduce((before, after) => {
    if (before.segment.vaddr + before.segment.memsz > after.segment.vaddr) {
      throw errors.overlappingSegments(path, Math.min(before.index, after.index), Math.max(before.index, after.index));
    }
    return after;
  });
}

function checkLoad(segment: Segment, index: number, fileSize: number, path: string): void {
  checkPlacement(segment, index, fileSize, path);
  if (segment.filesz > 0 && segment.offset % PAGE !== segment.vaddr % PAGE) {
    throw errors.badSegment(path, index, "its file offset and address differ modulo the page size");
  }
}

function checkPlacement(segment: Segment, index: number, fileSize: number, path: string): void {
  const { offset, vaddr, filesz, memsz, align } = segment;
  if (memsz > USER_SPACE_END || vaddr + memsz > USER_SPACE_END) {
    throw errors.badSegment(path, index, "it lies outside the user address space");
  }
  if (filesz > memsz) throw errors.badSegment(path, index, "it is larger in the file than in memory");
  if (filesz > 0 && offset + filesz > fileSize) {
    if (offset + filesz > Number.MAX_SAFE_INTEGER) throw errors.badSegment(path, index, "its file offset is absurd");
    throw errors.truncated(path, `segment ${index}`, offset + filesz, fileSize);
  }
  if (align > USER_SPACE_END || !isPowerOfTwo(Math.max(align, 1))) {
    throw errors.badSegment(path, index, "its alignment is not a power of two");
  }
}

const isPowerOfTwo = (value: number) => Number.isInteger(Math.log2(value));

/** Where in the file the byte at a link-time address is; undefined when no segment's file content covers it. */
export function fileOffsetOf(segments: readonly Segment[], vaddr: number): number | undefined {
  const found = segments.find(
    (segment) => segment.type === segmentTypes.load && vaddr >= segment.vaddr && vaddr < segment.vaddr + segment.filesz,
  );
  return found === undefined ? undefined : found.offset + (vaddr - found.vaddr);
}

/** The link-time address at which a file offset is mapped; undefined when it is not mapped. */
export function addressOfOffset(segments: readonly Segment[], offset: number): number | undefined {
  const found = segments.find(
    (segment) =>
      segment.type === segmentTypes.load && offset >= segment.offset && offset < segment.offset + segment.filesz,
  );
  return found === undefined ? undefined : found.vaddr + (offset - found.offset);
}
