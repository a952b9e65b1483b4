/**
 * The contents of the .debug_* sections, decompressed when first asked for. A missing section is empty. Inflating is
 * the caller's, since this layer imports nothing from the host.
 */
import { Cursor } from "../cursor.ts";
import * as errors from "../errors.ts";
import type { ElfFile } from "../read.ts";
import { readSections, type Section, sectionBytes, sectionFlags } from "../sections.ts";

/** Undoes zlib compression; `size` is the size of the result, which must not be exceeded. */
export type Inflate = (compressed: Uint8Array, size: number) => Uint8Array;

export type DebugSectionName =
  | "abbrev"
  | "addr"
  | "aranges"
  | "frame"
  | "info"
  | "line"
  | "line_str"
  | "loc"
  | "loclists"
  | "ranges"
  | "rnglists"
  | "str"
  | "str_offsets";

const COMPRESSION_HEADER_SIZE = 24;
const ELFCOMPRESS_ZLIB = 1;
/** Of all sections of a file together. */
const MAX_INFLATED = 2 ** 30;
/** Debug information shrinks to a fifth or so, zeros to a thousandth: who claims more than this wants our memory. */
const MAX_RATIO = 64;
const ALWAYS_ALLOWED = 2 ** 20;
const methods: Readonly<Record<number, string>> = { 1: "zlib", 2: "zstd" };

export class DebugSections {
  readonly path: string;
  readonly #elf: ElfFile;
  readonly #inflate: Inflate | undefined;
  readonly #sections: ReadonlyMap<string, Section>;
  readonly #contents = new Map<DebugSectionName, Uint8Array>();
  #inflated = 0;

  constructor(elf: ElfFile, inflate: Inflate | undefined) {
    this.path = elf.path;
    this.#elf = elf;
    this.#inflate = inflate;
    this.#sections = new Map(readSections(elf).map((section) => [section.name, section]));
  }

  has(name: DebugSectionName): boolean {
    return (this.#sections.get(`.debug_${name}`)?.size ?? 0) > 0;
  }

  content(name: DebugSectionName): Uint8Array {
    const known = this.#contents.get(name);
    if (known !== undefined) return known;
    const section = this.#sections.get(`.debug_${name}`);
    const content = section === undefined ? new Uint8Array() : this.#read(section);
    this.#contents.set(name, content);
    return content;
  }

  cursor(name: DebugSectionName, at = 0): Cursor {
    const content = this.content(name);
    return new Cursor(content, at, content.length, () =>
      errors.badDebugInfo(this.path, `.debug_${name} is cut short or garbled`),
    );
  }

  #read(section: Section): Uint8Array {
    const stored = sectionBytes(this.#elf, section);
    if ((section.flags & sectionFlags.compressed) === 0) return stored;
    const fail = () => errors.badDebugInfo(this.path, `${section.name} is compressed badly`);
    const cursor = new Cursor(stored, 0, stored.length, fail);
    const method = cursor.u32();
    cursor.skip(4);
    const size = cursor.u64();
    this.#inflated += size;
    if (size > Math.max(ALWAYS_ALLOWED, MAX_RATIO * stored.length) || this.#inflated > MAX_INFLATED)
      throw errors.badDebugInfo(this.path, `${section.name} would take ${size} bytes when decompressed`);
    if (method !== ELFCOMPRESS_ZLIB || this.#inflate === undefined) {
      throw errors.compressedDebugInfo(this.path, section.name, methods[method] ?? `method ${method}`);
    }
    const content = inflateOrFail(this.#inflate, stored.subarray(COMPRESSION_HEADER_SIZE), size, fail);
    if (content.length !== size) throw fail();
    return content;
  }
}

function inflateOrFail(inflate: Inflate, stored: Uint8Array, size: number, fail: () => Error): Uint8Array {
  try {
    return inflate(stored, size);
  } catch {
    throw fail();
  }
}
