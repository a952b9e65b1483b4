/** ELF64 files: what the loader maps, and what tools look up (symbols, notes, sections). */
export { type Dynamic, type DynamicEntry, readDynamic } from "./dynamic.ts";
export type { ElfHeader, ElfType } from "./header.ts";
export { type DebugLink, type Note, readBuildId, readDebugLink, readNotes } from "./notes.ts";
export { type ElfFile, type Purpose, readElf } from "./read.ts";
export { readSections, type Section, sectionBytes, sectionFlags, sectionTypes } from "./sections.ts";
export { addressOfOffset, fileOffsetOf, type Segment, segmentFlags, segmentTypes } from "./segments.ts";
export { type ElfSymbol, readSymbols, type SymbolBinding, type SymbolKind } from "./symbols.ts";
