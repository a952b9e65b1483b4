/** Slots that the dynamic linker fills with the address of a symbol (psABI for x86-64, section 4.4.1), by their address. */
import { Cursor } from "./cursor.ts";
import * as errors from "./errors.ts";
import type { ElfFile } from "./read.ts";
import { readSections, type Section, sectionBytes } from "./sections.ts";

const SHT_RELA = 4;
const R_X86_64_GLOB_DAT = 6;
const R_X86_64_JUMP_SLOT = 7;
const RELA_SIZE = 24;
const SYMBOL_SIZE = 24;

/** From the address of a slot to the name of the symbol whose address it holds. */
export function readImports(elf: ElfFile): ReadonlyMap<number, string> {
  const sections = readSections(elf);
  const imports = new Map<number, string>();
  for (const section of sections)
    if (section.type === SHT_RELA && section.address !== 0) readRelocations(elf, sections, section, imports);
  return imports;
}

function readRelocations(
  elf: ElfFile,
  sections: readonly Section[],
  section: Section,
  imports: Map<number, string>,
): void {
  const content = sectionBytes(elf, section);
  const fail = () => errors.badSymbols(elf.path, `${section.name} is cut short or garbled`);
  const symbols = sections[section.link];
  const strings = symbols === undefined ? undefined : sections[symbols.link];
  if (symbols === undefined || strings === undefined) return;
  const [table, texts] = [sectionBytes(elf, symbols), sectionBytes(elf, strings)];
  const cursor = new Cursor(content, 0, content.length, fail);
  while (cursor.end - cursor.position >= RELA_SIZE) {
    const slot = cursor.u64();
    const [type, symbol] = [cursor.u32(), cursor.u32()];
    cursor.skip(8); // addend
    if (type !== R_X86_64_GLOB_DAT && type !== R_X86_64_JUMP_SLOT) continue;
    const nameAt = new Cursor(table, symbol * SYMBOL_SIZE, table.length, fail).u32();
    imports.set(slot, new Cursor(texts, nameAt, texts.length, fail).text());
  }
}
