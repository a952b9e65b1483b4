/** The dynamic section (gabi chapter 5, "Dynamic Section"), found through PT_DYNAMIC as the dynamic linker finds it. */
import { Cursor } from "./cursor.ts";
import * as errors from "./errors.ts";
import type { ElfFile } from "./read.ts";
import { fileOffsetOf, segmentTypes } from "./segments.ts";

export interface Dynamic {
  /** Libraries asked for by DT_NEEDED, in order. */
  readonly needed: readonly string[];
  /** Search directories; `$ORIGIN` is left as written. */
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  readonly soname: string | undefined;
  /** DF_FLAGS and DF_1_FLAGS, 0 when absent. */
  readonly flags: number;
  readonly flags1: number;
  /** Every entry up to DT_NULL. */
  readonly entries: readonly DynamicEntry[];
}

export interface DynamicEntry {
  readonly tag: number;
  readonly value: number;
}

const tags = { needed: 1, stringTable: 5, stringTableSize: 10, soname: 14, rpath: 15, runpath: 29 } as const;
const DT_FLAGS = 30;
const DT_FLAGS_1 = 0x6ffffffb;
const ENTRY_SIZE = 16;

/** Undefined for a program without a dynamic section. */
export function readDynamic(elf: ElfFile): Dynamic | undefined {
  const segment = elf.segments.find(({ type }) => type === segmentTypes.dynamic);
  if (segment === undefined) return undefined;
  const fail = () => errors.badDynamic(elf.path, "it lies outside the file");
  const cursor = new Cursor(elf.bytes, segment.offset, segment.offset + segment.filesz, fail);
  const entries: DynamicEntry[] = [];
  while (cursor.end - cursor.position >= ENTRY_SIZE) {
    const entry = { tag: cursor.u64(), value: cursor.u64() };
    if (entry.tag === 0) break;
    entries.push(entry);
  }
  const first = (tag: number) => entries.find((entry) => entry.tag === tag)?.value;
  const textAt = stringReader(elf, first(tags.stringTable), first(tags.stringTableSize));
  const texts = (tag: number) => entries.filter((entry) => entry.tag === tag).map(({ value }) => textAt(value));
  const directories = (tag: number) => texts(tag).flatMap((list) => list.split(":").filter((one) => one !== ""));
  return {
    needed: texts(tags.needed),
    rpath: directories(tags.rpath),
    runpath: directories(tags.runpath),
    soname: texts(tags.soname)[0],
    flags: first(DT_FLAGS) ?? 0,
    flags1: first(DT_FLAGS_1) ?? 0,
    entries,
  };
}

function stringReader(elf: ElfFile, address: number | undefined, size: number | undefined): (at: number) => string {
  return (at) => {
    if (address === undefined) throw errors.badDynamic(elf.path, "it has no string table");
    const start = fileOffsetOf(elf.segments, address);
    if (start === undefined) throw errors.badDynamic(elf.path, "its string table is not in the file");
    const fail = () => errors.badDynamic(elf.path, "a name lies outside its string table");
    const end = Math.min(elf.bytes.length, start + (size ?? Number.POSITIVE_INFINITY));
    return new Cursor(elf.bytes, start + at, end, fail).text();
  };
}
