/**
 * Call frame information: which code has which unwinding program (.debug_frame, DWARF 5 section 6.4.1; .eh_frame, Linux
 * Standard Base section 10.6). Entries are read once, when the first is asked for, and found by address.
 */
import { Cursor } from "../cursor.ts";
import * as errors from "../errors.ts";
import { IntervalIndex } from "../intervals.ts";
import type { ElfFile } from "../read.ts";
import { readSections, type Section, sectionBytes } from "../sections.ts";
import { readInitialLength } from "./units.ts";

/** What the entries of one group have in common (CIE). */
export interface CommonFrameInfo {
  readonly codeAlign: number;
  readonly dataAlign: number;
  /** The register that holds the return address after unwinding. */
  readonly returnRegister: number;
  /** The frame was made by a signal: its address is not a return address. */
  readonly signal: boolean;
  readonly pointerEncoding: number;
  readonly hasAugmentation: boolean;
  readonly addressSize: number;
  readonly instructions: Cursor;
}

/** One function, or part of one (FDE). */
export interface FrameEntry {
  readonly common: CommonFrameInfo;
  readonly low: number;
  readonly high: number;
  readonly instructions: Cursor;
}

interface FrameSection {
  readonly section: Section;
  readonly cursor: Cursor;
  readonly isExceptionFrame: boolean;
}

const MAX_ENTRIES = 10_000_000;

/** Entries of a file's .eh_frame and .debug_frame by address. Both may describe the same code; then either serves. */
export function readFrameEntries(elf: ElfFile): IntervalIndex<FrameEntry> {
  const entries = readSections(elf)
    .filter(({ name }) => name === ".eh_frame" || name === ".debug_frame")
    .flatMap((section) => readFrameSection(elf, section));
  return new IntervalIndex(entries.map((entry) => ({ low: entry.low, high: entry.high, value: entry })));
}

function readFrameSection(elf: ElfFile, section: Section): readonly FrameEntry[] {
  const bytes = sectionBytes(elf, section);
  const fail = () => errors.badDebugInfo(elf.path, `${section.name} is cut short or garbled`);
  const cursor = new Cursor(bytes, 0, bytes.length, fail);
  const from: FrameSection = { section, cursor, isExceptionFrame: section.name === ".eh_frame" };
  const commons = new Map<number, CommonFrameInfo>();
  const entries: FrameEntry[] = [];
  while (!cursor.atEnd && entries.length < MAX_ENTRIES) {
    const { length, offsetSize } = readInitialLength(cursor);
    if (length === 0) {
      if (from.isExceptionFrame) break;
      continue;
    }
    const idAt = cursor.position;
    const end = idAt + length;
    const id = cursor.unsigned(offsetSize);
    if (end > cursor.end) throw fail();
    const isCommon = from.isExceptionFrame ? id === 0 : id >= 2 ** (8 * offsetSize) - 1;
    if (isCommon) commons.set(idAt - (offsetSize === 8 ? 12 : 4), readCommon(cursor.at(cursor.position, end)));
    else {
      const common = commons.get(from.isExceptionFrame ? idAt - id : id);
      const entry = common && readEntry(from, common, cursor.at(cursor.position, end));
      if (entry !== undefined) entries.push(entry);
    }
    cursor.position = end;
  }
  return entries;
}

function readCommon(cursor: Cursor): CommonFrameInfo {
  const version = cursor.u8();
  const augmentation = cursor.text();
  const addressSize = version >= 4 ? cursor.u8() : 8;
  if (version >= 4) cursor.skip(1); // segment selector size
  if (augmentation.startsWith("eh")) cursor.skip(8);
  const codeAlign = cursor.uleb();
  const dataAlign = cursor.sleb();
  const returnRegister = version === 1 ? cursor.u8() : cursor.uleb();
  const hasAugmentation = augmentation.startsWith("z");
  const augmentationEnd = hasAugmentation ? cursor.uleb() + cursor.position : cursor.position;
  let pointerEncoding = 0;
  let signal = false;
  if (hasAugmentation)
    for (const letter of augmentation.slice(1)) {
      if (letter === "R") pointerEncoding = cursor.u8();
      else if (letter === "P") skipEncoded(cursor, cursor.u8(), addressSize);
      else if (letter === "L") cursor.skip(1);
      else if (letter === "S") signal = true;
    }
  const instructions = cursor.at(augmentationEnd);
  return { codeAlign, dataAlign, returnRegister, signal, pointerEncoding, hasAugmentation, addressSize, instructions };
}

function readEntry({ section }: FrameSection, common: CommonFrameInfo, cursor: Cursor): FrameEntry | undefined {
  const { pointerEncoding, addressSize } = common;
  const low = readEncoded(cursor, pointerEncoding, addressSize, section.address);
  // A length is stored like a pointer, but counts from nowhere.
  const length = readEncoded(cursor, pointerEncoding & 0x0f, addressSize, 0);
  const instructions = cursor.at(common.hasAugmentation ? cursor.uleb() + cursor.position : cursor.position);
  return length > 0 ? { common, low, high: low + length, instructions } : undefined;
}

const TWO_32 = 0x1_0000_0000;
const signed4 = (cursor: Cursor) => cursor.u32() | 0;

/** DW_EH_PE_*, the low four bits: how a pointer is stored. */
const storedPointers: Readonly<Record<number, (cursor: Cursor, addressSize: number) => number>> = {
  0: (cursor, addressSize) => cursor.unsigned(addressSize),
  1: (cursor) => cursor.uleb(),
  2: (cursor) => cursor.u16(),
  3: (cursor) => cursor.u32(),
  4: (cursor) => cursor.u64(),
  9: (cursor) => cursor.sleb(),
  10: (cursor) => (cursor.u16() << 16) >> 16,
  11: signed4,
  12: (cursor) => cursor.u32() + signed4(cursor) * TWO_32,
};
const PC_RELATIVE = 0x10;
const OMITTED = 0xff;

function readEncoded(cursor: Cursor, encoding: number, addressSize: number, sectionAddress: number): number {
  const at = sectionAddress + cursor.position;
  const read = storedPointers[encoding & 0x0f];
  const base = encoding & 0x70;
  if (read === undefined || (base !== 0 && base !== PC_RELATIVE)) throw cursor.fail();
  const stored = read(cursor, addressSize);
  return base === PC_RELATIVE ? at + stored : stored;
}

function skipEncoded(cursor: Cursor, encoding: number, addressSize: number): void {
  if (encoding !== OMITTED) storedPointers[encoding & 0x0f]?.(cursor, addressSize);
}
