/** Notes (gabi chapter 5, "Note Section"), the build id among them, and the .gnu_debuglink section (gdb manual). */
import { InputError } from "../../base/index.ts";
import { Cursor } from "./cursor.ts";
import * as errors from "./errors.ts";
import type { ElfFile } from "./read.ts";
import { readSections, type Section, sectionBytes, sectionTypes } from "./sections.ts";
import { segmentTypes } from "./segments.ts";

export interface Note {
  readonly owner: string;
  readonly type: number;
  readonly content: Uint8Array;
}

/** The separate debug file a stripped file names. */
export interface DebugLink {
  readonly file: string;
  readonly crc: number;
}

const NT_GNU_BUILD_ID = 3;

/** Notes of the PT_NOTE segments, or of the note sections where no segment has any. */
export function readNotes(elf: ElfFile): readonly Note[] {
  const segments = elf.segments.filter(({ type, filesz }) => type === segmentTypes.note && filesz > 0);
  const areas = segments.length > 0 ? segments.map(segmentArea) : noteSections(elf).map(sectionArea);
  return areas.flatMap(({ start, size, align }) => readArea(elf, start, size, align));
}

interface Area {
  readonly start: number;
  readonly size: number;
  readonly align: number;
}

const segmentArea = (segment: { offset: number; filesz: number; align: number }): Area => ({
  start: segment.offset,
  size: segment.filesz,
  align: segment.align,
});

const sectionArea = (section: Section): Area => ({ start: section.offset, size: section.size, align: section.align });

const noteSections = (elf: ElfFile) => readSections(elf).filter(({ type }) => type === sectionTypes.note);

function readArea(elf: ElfFile, start: number, size: number, align: number): readonly Note[] {
  const cursor = new Cursor(elf.bytes, start, start + size, () => errors.badNotes(elf.path));
  const step = align === 8 ? 8 : 4;
  const skipPadding = () => {
    const padding = (step - ((cursor.position - start) % step)) % step;
    cursor.skip(Math.min(padding, cursor.end - cursor.position));
  };
  const notes: Note[] = [];
  while (cursor.end - cursor.position >= 12) {
    const [ownerSize, contentSize, type] = [cursor.u32(), cursor.u32(), cursor.u32()];
    const owner = new TextDecoder().decode(cursor.view(ownerSize)).replace(/\0.*$/s, "");
    skipPadding();
    const content = cursor.view(contentSize);
    skipPadding();
    notes.push({ owner, type, content });
  }
  return notes;
}

/** The linker's build id in lowercase hex; undefined when there is none or the notes are garbled. */
export function readBuildId(elf: ElfFile): string | undefined {
  const note = lenient(() => readNotes(elf))?.find(({ owner, type }) => owner === "GNU" && type === NT_GNU_BUILD_ID);
  return note === undefined ? undefined : [...note.content].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Undefined when the file names no separate debug file, or names it illegibly. */
export function readDebugLink(elf: ElfFile): DebugLink | undefined {
  return lenient(() => {
    const section = readSections(elf).find(({ name }) => name === ".gnu_debuglink");
    if (section === undefined) return undefined;
    const content = sectionBytes(elf, section);
    const fail = () => errors.badSections(elf.path, ".gnu_debuglink is too short");
    const cursor = new Cursor(content, 0, content.length, fail);
    const file = cursor.text();
    return { file, crc: cursor.at(Math.ceil(cursor.position / 4) * 4).u32() };
  });
}

function lenient<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
