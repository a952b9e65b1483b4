/** Symbol tables (gabi chapter 4, "Symbol Table"): .symtab and .dynsym, without versions. */
import { assert } from "../../base/index.ts";
import { Cursor } from "./cursor.ts";
import * as errors from "./errors.ts";
import type { ElfFile } from "./read.ts";
import { readSections, type Section, sectionBytes, sectionTypes } from "./sections.ts";

export type SymbolKind = "none" | "object" | "function" | "section" | "file" | "common" | "tls" | "ifunc" | "other";
export type SymbolBinding = "local" | "global" | "weak" | "other";

const kinds: Readonly<Record<number, SymbolKind>> = {
  0: "none",
  1: "object",
  2: "function",
  3: "section",
  4: "file",
  5: "common",
  6: "tls",
  10: "ifunc",
};
const bindings: Readonly<Record<number, SymbolBinding>> = { 0: "local", 1: "global", 2: "weak", 10: "global" };
const ENTRY_SIZE = 24;

/** A table has tens of thousands of names, of which a few are ever read: one is when it is asked for. */
export class ElfSymbol {
  readonly #names: Cursor;
  readonly #nameAt: number;
  readonly value: number;
  readonly size: number;
  readonly kind: SymbolKind;
  readonly binding: SymbolBinding;
  /** False for a symbol another file must provide. */
  readonly defined: boolean;
  /** Index of its section, or one of the reserved indices (0xfff1 for an absolute value). */
  readonly section: number;
  readonly table: "symtab" | "dynsym";

  constructor(
    names: Cursor,
    nameAt: number,
    info: number,
    section: number,
    value: number,
    size: number,
    { type }: Section,
  ) {
    assert(nameAt > 0, "elf: a symbol that is kept has a name");
    this.#names = names;
    this.#nameAt = nameAt;
    this.value = value;
    this.size = size;
    this.kind = kinds[info & 15] ?? "other";
    this.binding = bindings[info >> 4] ?? "other";
    this.defined = section !== 0;
    this.section = section;
    this.table = type === sectionTypes.symbols ? "symtab" : "dynsym";
  }

  get name(): string {
    return this.#names.at(this.#nameAt).text();
  }
}

/** All symbols with a name, .symtab first; a name both tables define comes twice. */
export function readSymbols(elf: ElfFile, sections: readonly Section[] = readSections(elf)): readonly ElfSymbol[] {
  return [
    ...sections.filter(({ type }) => type === sectionTypes.symbols).flatMap((one) => readTable(elf, sections, one)),
    ...sections
      .filter(({ type }) => type === sectionTypes.dynamicSymbols)
      .flatMap((one) => readTable(elf, sections, one)),
  ];
}

function readTable(elf: ElfFile, sections: readonly Section[], table: Section): readonly ElfSymbol[] {
  const content = sectionBytes(elf, table);
  const strings = sections[table.link];
  if (strings === undefined) throw errors.badSymbols(elf.path, `${table.name} has no string table`);
  const texts = sectionBytes(elf, strings);
  const nameFails = () => errors.badSymbols(elf.path, "a name lies outside its string table");
  const fail = () => errors.badSymbols(elf.path, "it ends in the middle of an entry");
  const names = new Cursor(texts, 0, texts.length, nameFails);
  const cursor = new Cursor(content, 0, content.length, fail);
  const lastNameEnd = texts.lastIndexOf(0);
  const symbols: ElfSymbol[] = [];
  while (cursor.end - cursor.position >= ENTRY_SIZE) {
    const nameAt = cursor.u32();
    const info = cursor.u8();
    cursor.skip(1); // st_other
    const section = cursor.u16();
    const value = cursor.u64();
    const size = cursor.u64();
    if (nameAt === 0) continue;
    if (nameAt > lastNameEnd) throw nameFails();
    symbols.push(new ElfSymbol(names, nameAt, info, section, value, size, table));
  }
  return symbols;
}
