/**
 * The objects of a libpmemobj pool, by what lies in its file: the sixth format of the pool, with the first of its heap, which
 * every version since 1.2 keeps (heap_layout.h, memblock.c and obj.h of PMDK say it, and are what the numbers here come from).
 * Always: whatever a file holds, the search ends; what makes no sense as a heap has no objects.
 */
import type { PoolWords } from "./pool-words.ts";

export interface PoolBlock {
  /** Where the program's part of it begins, and how many bytes it may use. */
  readonly offset: number;
  readonly size: number;
  /** libpmemobj's own, as parts of its logs are, and the root object. */
  readonly isInternal: boolean;
  /** Where the heap says that it is allocated: the header of its chunk, and of an object in a run the bit of its first unit. */
  readonly chunk: number;
  readonly bit?: { readonly at: number; readonly mask: number };
}

const signature = [0x4d45_4d50, 0x004a_424f] as const; // "PMEMOBJ\0"
const format = 6;
const inPool = { format: 8, heap: 5136, root: 6144, run: 6152, heapSize: 6176, mapped: 6688 } as const;

const heapHeaderBytes = 1024;
const zoneMagic = 0xc3f0_a2d2;
const zoneHeaderBytes = 64;
const mostChunks = 65_528;
const chunkBytes = 1 << 18;
const zoneDataBytes = zoneHeaderBytes + 8 * mostChunks;
const zoneBytes = zoneDataBytes + chunkBytes * mostChunks;

const chunkType = { used: 3, run: 4 } as const;
const chunkFlag = { compact: 1, none: 2, aligned: 4, flexible: 8 } as const;
const isInternalFlag = 0x8000;

const runHeaderBytes = 16;
const bitsPerWord = 64;
const defaultBitmapWords = 38;
const lineWords = 8;

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

/** Whether a pool of libpmemobj lies here. */
export const isPool = (words: PoolWords): boolean =>
  words.half(0) === signature[0] && words.half(4) === signature[1] && words.half(inPool.format) === format;

/** Where the root object is; 0: there is none. */
export const rootOf = (words: PoolWords): number => words.word(inPool.root);
/** Another whenever somebody has opened the pool. */
export const runOf = (words: PoolWords): number => words.word(inPool.run);
/** The address that it was mapped at last. */
export const mappedAt = (words: PoolWords): number => words.word(inPool.mapped);

/** What stands before the program's part of an object. */
interface ObjectHeader {
  readonly bytes: number;
  /** Where the size of the whole is said, and in which word's upper sixteen bits the flags are. */
  readonly size?: number;
  readonly flags?: number;
}

const headers = { legacy: { bytes: 64, size: 8, flags: 48 }, compact: { bytes: 16, size: 0, flags: 0 } } as const;
const noHeader: ObjectHeader = { bytes: 0 };

const headerOf = (flags: number): ObjectHeader =>
  flags & chunkFlag.compact ? headers.compact : flags & chunkFlag.none ? noHeader : headers.legacy;

interface Chunk {
  /** Of its header, and of what it holds. */
  readonly header: number;
  readonly start: number;
  readonly flags: number;
  readonly chunks: number;
}

/** In the order of their places. */
export function* blocksOf(words: PoolWords): Iterable<PoolBlock> {
  const heap = words.word(inPool.heap);
  const end = Math.min(words.size, heap + words.word(inPool.heapSize));
  for (let zone = heap + heapHeaderBytes; zone + zoneDataBytes + chunkBytes <= end; zone += zoneBytes)
    if (words.half(zone) === zoneMagic) yield* blocksInZone(words, zone, end);
}

function* blocksInZone(words: PoolWords, zone: number, end: number): Iterable<PoolBlock> {
  const fitting = Math.floor((end - zone - zoneDataBytes) / chunkBytes);
  const count = Math.min(words.half(zone + 4), fitting, mostChunks);
  for (let number = 0; number < count; ) {
    const header = zone + zoneHeaderBytes + 8 * number;
    const kind = words.half(header);
    const chunks = words.half(header + 4);
    if (chunks === 0 || number + chunks > count) return;
    const chunk = { header, start: zone + zoneDataBytes + chunkBytes * number, flags: kind >>> 16, chunks };
    if ((kind & 0xffff) === chunkType.used) yield hugeBlock(words, chunk);
    if ((kind & 0xffff) === chunkType.run) yield* blocksInRun(words, chunk);
    number += chunks;
  }
}

function hugeBlock(words: PoolWords, { header, start, flags, chunks }: Chunk): PoolBlock {
  const own = headerOf(flags);
  const size = chunks * chunkBytes - own.bytes;
  return { offset: start + own.bytes, size, isInternal: isInternal(words, start, own), chunk: header };
}

const isInternal = (words: PoolWords, start: number, { flags }: ObjectHeader): boolean =>
  flags !== undefined && ((words.half(start + flags + 4) >>> 16) & isInternalFlag) !== 0;

/** How many bytes the bitmap of a run takes, and of how many units it tells. */
function bitmapOf({ flags, chunks }: Chunk, unit: number, alignment: number): { bytes: number; units: number } {
  const content = chunks * chunkBytes - runHeaderBytes;
  const isFlexible = (flags & chunkFlag.flexible) !== 0;
  const valueWords = isFlexible
    ? roundUp(Math.ceil(Math.floor(content / unit) / bitsPerWord) + runHeaderBytes / 8, lineWords) - runHeaderBytes / 8
    : defaultBitmapWords;
  const fitting = Math.floor((content - 8 * valueWords) / unit);
  const most = isFlexible ? fitting : Math.min(fitting, defaultBitmapWords * bitsPerWord);
  return { bytes: 8 * valueWords, units: most - (alignment === 0 ? 0 : 1) };
}

function* blocksInRun(words: PoolWords, chunk: Chunk): Iterable<PoolBlock> {
  const unit = words.word(chunk.start);
  const alignment = words.word(chunk.start + 8);
  if (unit === 0 || unit > chunk.chunks * chunkBytes) return;
  const own = headerOf(chunk.flags);
  const bitmap = bitmapOf(chunk, unit, alignment);
  const values = chunk.start + runHeaderBytes;
  const data = values + bitmap.bytes;
  // Pools are mapped at multiples of a page, which alignments of objects do not go beyond.
  const isAligned = (chunk.flags & chunkFlag.aligned) !== 0 && alignment > 0;
  const first = isAligned ? roundUp(data + own.bytes, alignment) - own.bytes : data;
  for (let at = 0; at < bitmap.units; ) {
    const bit = { at: values + 4 * Math.floor(at / 32), mask: 1 << (at % 32) };
    const start = first + unit * at;
    const isUsed = (words.half(bit.at) & bit.mask) !== 0;
    const units = isUsed ? unitsAt(words, start, own, unit) : 1;
    if (isUsed) {
      const [offset, size] = [start + own.bytes, units * unit - own.bytes];
      yield { offset, size, isInternal: isInternal(words, start, own), chunk: chunk.header, bit };
    }
    at += units;
  }
}

/** No object takes more units than one word of the bitmap tells of. */
function unitsAt(words: PoolWords, start: number, { size }: ObjectHeader, unit: number): number {
  if (size === undefined) return 1;
  const bytes = words.half(start + size) + (words.half(start + size + 4) & 0xffff) * 2 ** 32;
  return Math.min(bitsPerWord, Math.max(1, Math.ceil(bytes / unit)));
}

/** Whether an object was allocated in an earlier state of the pool too. */
export const wasThere = ({ chunk, bit }: PoolBlock, now: PoolWords, before: PoolWords): boolean =>
  now.half(chunk) === before.half(chunk) &&
  now.half(chunk + 4) === before.half(chunk + 4) &&
  (bit === undefined || (before.half(bit.at) & bit.mask) !== 0);
