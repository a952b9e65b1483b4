/**
 * Section headers (gabi chapter 4, "Sections"). Loading never needs them; a stripped file may have none, which is an
 * empty list, and a garbled table is an InputError of its own.
 */
import { Cursor } from "./cursor.ts";
import * as errors from "./errors.ts";
import type { ElfFile } from "./read.ts";

export interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
  readonly align: number;
  readonly entrySize: number;
}

export const sectionTypes = { symbols: 2, strings: 3, note: 7, noBits: 8, dynamicSymbols: 11 } as const;
export const sectionFlags = { execute: 4, tls: 0x400, compressed: 0x800 } as const;

const SHENTSIZE = 64;
const SHN_XINDEX = 0xffff;

interface RawSection extends Omit<Section, "name"> {
  readonly nameAt: number;
}

export function readSections(elf: ElfFile): readonly Section[] {
  const { shoff, shnum, shentsize, shstrndx } = elf.header;
  if (shoff === 0) return [];
  const fail = () => errors.badSections(elf.path, "it lies outside the file");
  if (shentsize !== SHENTSIZE) throw errors.badSections(elf.path, `an entry has ${shentsize} bytes`);
  if (shoff > elf.bytes.length) throw fail();
  const cursor = new Cursor(elf.bytes, shoff, elf.bytes.length, fail);
  const zeroth = readSection(cursor);
  // Counts too large for the header are kept in entry 0.
  const count = shnum === 0 ? zeroth.size : shnum;
  const namesIndex = shstrndx === SHN_XINDEX ? zeroth.link : shstrndx;
  if (count * SHENTSIZE > elf.bytes.length - shoff) throw fail();
  const raw = [zeroth, ...Array.from({ length: Math.max(count - 1, 0) }, () => readSection(cursor))];
  const names = raw[namesIndex];
  return raw.map(({ nameAt, ...section }) => ({ name: nameOf(elf, names, nameAt), ...section }));
}

function readSection(cursor: Cursor): RawSection {
  return {
    nameAt: cursor.u32(),
    type: cursor.u32(),
    flags: cursor.u64(),
    address: cursor.u64(),
    offset: cursor.u64(),
    size: cursor.u64(),
    link: cursor.u32(),
    info: cursor.u32(),
    align: cursor.u64(),
    entrySize: cursor.u64(),
  };
}

function nameOf(elf: ElfFile, names: RawSection | undefined, at: number): string {
  if (names === undefined || names.type !== sectionTypes.strings) return "";
  const fail = () => errors.badSections(elf.path, "a name lies outside the file");
  return new Cursor(elf.bytes, names.offset + at, elf.bytes.length, fail).text();
}

/** The content as it lies in the file: empty for .bss and its like, still compressed when the section is. */
export function sectionBytes(elf: ElfFile, section: Section): Uint8Array {
  if (section.type === sectionTypes.noBits) return new Uint8Array();
  const { offset, size } = section;
  if (offset + size > elf.bytes.length) {
    throw errors.badSections(elf.path, `section ${section.name} lies outside the file`);
  }
  return elf.bytes.subarray(offset, offset + size);
}
